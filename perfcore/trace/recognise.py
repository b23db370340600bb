"""What a file is that gave no launches, and what to record instead: one message."""

from __future__ import annotations

from typing import Any

from perfcore.problem import Problem

RECORD_A_TRACE = (
    "Record a Chrome trace with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], "
    "record_shapes=True) and export_chrome_trace()."
)

_BEGINNINGS = (
    (b"\xff\xfe", "text in UTF-16, which JSON may not be: save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16, which JSON may not be: save it as UTF-8"),
    (b"\x80", "a pickle, such as a CUDA memory snapshot (torch.cuda.memory._dump_snapshot)"),
    (b"PK\x03\x04", "a zip archive (torch.save writes such, too): unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz: unpack it first"),
    (b"BZh", "compressed with bzip2: unpack it first"),
    (b"SQLite format 3", "an SQLite database, such as Nsight Systems exports"),
    (b"<", "HTML or XML, such as export_memory_timeline() writes"),
    (b"\0", "binary data"),
)
_KEYS = (
    ({"segments"}, "a CUDA memory snapshot"),
    ({"device_traces"}, "a CUDA memory snapshot"),
    ({"cells", "nbformat"}, "a Jupyter notebook"),
    ({"schema", "nodes"}, "a PyTorch execution trace (as ExecutionTraceObserver writes it for Chakra)"),
    ({"nodes"}, "an execution trace or another graph"),
)


def not_a_trace(path: str, head: bytes, keys: dict[str, Any] | None) -> Problem:
    """`head` is the beginning of the text, `keys` are those of its outermost object (None: it has none)."""
    return Problem("not-a-trace", "error", f"{path} is {_what(head, keys)}. {RECORD_A_TRACE}", path, 0)


def no_gpu_kernels(path: str) -> Problem:
    message = (
        f"{path} holds no GPU kernels, so nothing in it has a GPU time. Record with "
        "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] (ProfilerActivity.XPU on Intel GPUs), and let "
        "the GPU work end inside the recording (torch.cuda.synchronize())."
    )
    return Problem("no-gpu-kernels", "warning", message, path)


def _what(head: bytes, keys: dict[str, Any] | None) -> str:
    if not head:
        return "empty"
    if head[:2] in (b"{\0", b"[\0", b"\0{", b"\0["):
        return _BEGINNINGS[0][1]
    if keys is None:
        return next((what for magic, what in _BEGINNINGS if head.startswith(magic)), _json_or_not(head))
    if "chakra" in str(keys.get("schema")):
        return f"a PyTorch execution trace (Chakra, schema {str(keys['schema'])[:40]}), not a Chrome trace"
    for names, what in _KEYS:
        if names <= keys.keys():
            return f"{what}, not a Chrome trace"
    named = ", ".join(repr(key[:40]) for key in list(keys)[:5])
    return f"JSON, but not a Chrome trace: it has no 'traceEvents'{f', only {named}' if named else ''}"


def _json_or_not(head: bytes) -> str:
    return "JSON, but not a Chrome trace: its array holds no events" if head[:1] == b"[" else "not JSON"
