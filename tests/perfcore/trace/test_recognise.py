"""Files that are no trace, or one without GPU kernels: one message that names them and says what to record."""

from __future__ import annotations

import gzip
import json
import pickle
from typing import Any

import pytest

from perfcore.trace import read_trace


def said_of(data: bytes) -> str:
    (problem,) = read_trace("some/file.json", data=data).problems
    assert (problem.code, problem.severity, problem.offset) == ("not-a-trace", "error", 0)
    assert problem.message.startswith("some/file.json is ")
    assert "export_chrome_trace()" in problem.message
    return problem.message


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            as_json({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1}]}),
            "execution trace (Chakra",
        ),
        (as_json({"schema": "1.0.3", "nodes": [{"id": 1, "name": "[pytorch|profiler]"}]}), "execution trace"),
        (
            as_json({"nodes": [{"id": n} for n in range(300_000)], "schema": "2-chakra"}),
            "execution trace (Chakra",
        ),
        (as_json({"segments": [{"address": 1}], "device_traces": [[]]}), "CUDA memory snapshot"),
        (pickle.dumps({"segments": [], "device_traces": []}), "CUDA memory snapshot"),
        (as_json({"cells": [], "nbformat": 4}), "Jupyter notebook"),
        (as_json({"name": "left-pad", "version": "1"}), "has no 'traceEvents', only 'name', 'version'"),
        (as_json({}), "has no 'traceEvents'"),
        (as_json([1, 2, 3]), "its array holds no events"),
        (as_json([{"a": 1}, {"b": 2}]), "its array holds no events"),
        (as_json("text"), "not a Chrome trace"),
        (b"# just notes\n", "not JSON"),
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (as_json({"traceEvents": []}).decode().encode("utf-16"), "UTF-16"),
        (as_json({"traceEvents": []}).decode().encode("utf-16-le"), "UTF-16"),
        (as_json({"traceEvents": []}).decode().encode("utf-16-be"), "UTF-16"),
        (b"PK\x03\x04 zipped", "zip archive"),
        (b"\x28\xb5\x2f\xfd zstd", "zstd"),
        (b"BZh91AY", "bzip2"),
        (b"SQLite format 3\0", "SQLite"),
        (b"<!DOCTYPE html>", "HTML"),
        (bytes(1000), "binary data"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_is_named(data: bytes, words: str) -> None:
    assert words in said_of(data)
    assert words in said_of(gzip.compress(data))


def test_a_trace_without_gpu_kernels_says_what_to_record() -> None:
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2}]
    for trace in ({"traceEvents": events}, events, {"traceEvents": []}, []):
        (problem,) = read_trace("cpu.json", data=as_json(trace)).problems
        assert (problem.code, problem.severity) == ("no-gpu-kernels", "warning")
        assert "ProfilerActivity.CUDA" in problem.message
