"""Sound traces, damage at random places, and what must hold afterwards: for property tests and fuzzing.

Everything comes from one `random.Random`, so a seed is a case.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from random import Random
from typing import Any

from perfcore.trace import read_events
from perfcore.trace.events import TraceEvents
from perfcore.trace.reader import TraceFile

NAMES = [
    "aten::mm",
    "void at::native::elementwise<at::native::{lambda()#1}, {lambda(int)#2}>(int, char*)",
    'torch/nn/modules/module.py(1747): _call_impl "quoted" {"a": 1}, {"ph": "X"}',
    "C:\\torch\\_inductor\\runtime.py(12): run",
    "größe 😀 \u2028 ]}, {",
]


@dataclass(frozen=True)
class SoundTrace:
    """`spans` are the byte ranges of the events in `text`, in order."""

    text: bytes
    events: list[dict[str, Any]]
    spans: list[tuple[int, int]]


@dataclass(frozen=True)
class Edit:
    """`removed` bytes at `start` are replaced by `inserted`."""

    start: int
    removed: int
    inserted: bytes


def sound_trace(random: Random, most_launches: int = 12) -> SoundTrace:
    """A trace as profilers write it: ops, calls, kernels, flows and other events, in any order and layout."""
    events: list[dict[str, Any]] = []
    for number in range(random.randint(1, most_launches)):
        events += _launch_events(random, number)
        events += [_other_event(random) for _ in range(random.randint(0, 3))]
    if random.random() < 0.3:
        random.shuffle(events)
    layout: dict[str, Any] = random.choice(
        [{}, {"separators": (",", ":")}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}]
    )
    as_ascii = random.random() < 0.5
    texts = [json.dumps(event, ensure_ascii=as_ascii, **layout).encode() for event in events]
    between = random.choice([b",", b", ", b",\n  ", b"\r\n,\r\n", b" ,\n"])
    before, after = random.choice([b"", b" ", b"\n"]), random.choice([b"", b"\n", b"\r\n  "])
    if random.random() < 0.2:
        head, tail = b"[" + before, after + b"]" + random.choice([b"", b"\n"])
    else:
        keys = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "numSms": 108}],
            "record_shapes": 1,
            "distributedInfo": {"rank": 3, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]},
        }
        header = json.dumps(keys, **layout).encode()[:-1].rstrip()
        head = header + b', "traceEvents": [' + before
        tail = after + b'], "traceName": "/tmp/x.json"}'
    text, spans = head, []
    for number, event in enumerate(texts):
        text += between if number else b""
        spans.append((len(text), len(text) + len(event)))
        text += event
    return SoundTrace(text + tail, events, spans)


def _launch_events(random: Random, number: int) -> list[dict[str, Any]]:
    start = 4026145552243 + 1000 * number + random.randint(0, 999) / 1000
    name = random.choice(["triton_poi_fused_add_0", "triton_red_fused_mean_1"])
    size = 1024 * (number + 1)
    ids = {"External id": 10 + number, "correlation": 500 + number}
    op = {
        "ph": "X", "cat": "cpu_op", "name": name, "pid": 11, "tid": 11, "ts": start, "dur": 30.5,
        "args": {
            "External id": ids["External id"], "Input Dims": [[size], [size], []],
            "Input type": ["float", "float", "Scalar"], "Concrete Inputs": ["", "", str(size)],
            "kernel_backend": "triton", "kernel_file": "C:\\cache\\xx\\cxx.py", "num_warps": 4,
        },
    }  # fmt: skip
    call = {
        "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 11, "tid": 11,
        "ts": start + 5, "dur": 3, "args": {"cbid": 211, **ids},
    }  # fmt: skip
    kernel = {
        "ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start + 100,
        "dur": 9.25 + number, "args": {**ids, "device": 0, "stream": 7, "grid": [size, 1, 1], "block": [128, 1, 1]},
    }  # fmt: skip
    flow = {
        "ph": "s",
        "id": ids["correlation"],
        "pid": 11,
        "tid": 11,
        "ts": start + 5,
        "cat": "ac2g",
        "name": "ac2g",
    }
    return [op, call, kernel, flow]


def _other_event(random: Random) -> dict[str, Any]:
    return random.choice(
        [
            {
                "ph": "X",
                "cat": "python_function",
                "name": random.choice(NAMES),
                "pid": 1,
                "tid": 1,
                "ts": 5.5,
                "dur": 1,
            },
            {
                "ph": "X",
                "cat": "cpu_op",
                "name": random.choice(NAMES),
                "ts": 7,
                "args": {"Input Dims": [[1], []]},
            },
            {"name": "process_name", "ph": "M", "ts": 1.5, "pid": 1, "tid": 0, "args": {"name": "python3"}},
            {
                "ph": "i",
                "cat": "x",
                "name": "[memory]",
                "args": {"list": [{"a": 1}, {"b": "}, {"}], "empty": {}},
            },
            {
                "ph": "X",
                "cat": "gpu_memcpy",
                "name": "Memcpy",
                "ts": 1,
                "args": {"memory bandwidth (GB/s)": 1.5e3},
            },
        ]
    )


def random_edits(random: Random, text: bytes) -> list[Edit]:
    """One to four places at which bytes are flipped, cut or inserted; they do not overlap."""
    edits: list[Edit] = []
    end = 0
    for start in sorted(random.randrange(len(text)) for _ in range(random.choice([1, 1, 1, 2, 3, 4]))):
        if start < end:
            continue
        edit = _random_edit(random, text, start)
        edits.append(edit)
        end = start + edit.removed + 1
    return edits


def _random_edit(random: Random, text: bytes, start: int) -> Edit:
    kind = random.randrange(6)
    if kind == 0:
        return Edit(start, 1, bytes([text[start] ^ (1 << random.randrange(8))]))
    if kind == 1:
        return Edit(
            start, 1, random.choice([b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\0", b"\xff"])
        )
    if kind == 2:
        return Edit(
            start, 0, random.choice([b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"inf", b'"]}', b"]}"])
        )
    if kind == 3:
        return Edit(start, 0, random.randbytes(random.randint(1, 12)))
    if kind == 4:
        return Edit(start, min(len(text) - start, random.randint(1, 40)), b"")
    length = min(len(text) - start, int(random.expovariate(1 / 400)) + 1)
    return Edit(start, length if random.random() < 0.8 else len(text) - start, b"")


def apply_edits(text: bytes, edits: list[Edit]) -> bytes:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.inserted + text[edit.start + edit.removed :]
    return text


def check_damaged(trace: SoundTrace, edits: list[Edit]) -> TraceFile:
    """Read the damaged trace: every event that no edit touches is kept as before, at its place, and what is
    kept besides stands where the damage is."""
    before = _kept(read_events("sound.json", data=trace.text).events)
    file = read_events("damaged.json", data=apply_edits(trace.text, edits))
    after = _kept(file.events)
    untouched = {
        _moved(span, edits): before[span]
        for span in trace.spans
        if span in before and not _touched(span, edits)
    }
    for place, values in untouched.items():
        assert place in after, f"the untouched event at {place} is lost: {values}"
        assert after[place] == values
    sound = sorted(_moved(span, edits) for span in trace.spans if not _touched(span, edits))
    starts = [start for start, _ in sound]
    for start, end in after.keys() - untouched.keys():
        following = bisect_right(starts, start)
        assert following == len(sound) or end <= sound[following][0], "an event swallowed an untouched one"
        assert following == 0 or sound[following - 1][1] <= start, (
            "an event was found inside an untouched one"
        )
    return file


def _touched(span: tuple[int, int], edits: list[Edit]) -> bool:
    start, end = span
    return any(
        edit.start < end and edit.start + max(edit.removed, 0) > start for edit in edits if edit.removed
    ) or any(start < edit.start < end for edit in edits if not edit.removed)


def _moved(span: tuple[int, int], edits: list[Edit]) -> tuple[int, int]:
    shift = sum(len(edit.inserted) - edit.removed for edit in edits if edit.start + edit.removed <= span[0])
    return span[0] + shift, span[1] + shift


def _kept(events: TraceEvents) -> dict[tuple[int, int], tuple[Any, ...]]:
    kept: dict[tuple[int, int], tuple[Any, ...]] = {}
    for op in events.ops:
        place = (op.place.offset, op.place.offset + op.place.length)
        kept[place] = (op.name, op.ts_ns, op.end_ns, op.external_id, events.threads[op.thread], op.args)
    columns = events.kernels
    for row, (offset, length) in enumerate(zip(columns.offset, columns.length, strict=True)):
        kept[offset, offset + length] = (
            events.strings[columns.name[row]],
            columns.ts_ns[row],
            columns.dur_ns[row],
            columns.correlation[row],
            columns.external_id[row],
            events.threads[columns.thread[row]],
        )
    return kept
