"""Documents that are too big to be stored: the example, made larger in the way that real ones are."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from .raw_client import ROOT

EXAMPLE = ROOT / "examples" / "transformer_block"
SWIGLU = "triton_poi_fused__unsafe_view_mul_silu_2"


def repeated(trace: bytes, times: int) -> Iterator[bytes]:
    """A trace's text with its events so many times, in pieces. Each repetition has its own ids and comes later, so
    that no event is a duplicate."""
    start = trace.index(b"[", trace.index(b'"traceEvents"')) + 1
    end = trace.rindex(b"]")
    parts = _NUMBERS.split(trace[start:end].strip())
    yield trace[:start]
    for number in range(times):
        yield b",\n" if number else b"\n"
        yield _shifted(parts, number)
    yield trace[end:]


def trace_of_size(size: int) -> bytes:
    """The example's trace repeated to `size` bytes of text and a little more, with four launches a repetition."""
    return b"".join(repeated((EXAMPLE / "trace.json").read_bytes(), repetitions_in(size)))


def repetitions_in(size: int) -> int:
    """How often the example's events stand in a trace of that size."""
    return max(1, size // (EXAMPLE / "trace.json").stat().st_size)


_NUMBERS = re.compile(rb'("(?:correlation|External id|ts|id)": ?)(\d+)')
_ID_STEP, _TIME_STEP = 10_000_000, 1_000_000_000


def _shifted(parts: list[bytes], number: int) -> bytes:
    """`parts` are those between the numbers, the number's key and the number, in turn."""
    shifted = list(parts)
    for index in range(1, len(parts), 3):
        step = _TIME_STEP if parts[index].startswith(b'"ts"') else _ID_STEP
        shifted[index + 1] = str(int(parts[index + 1]) + number * step).encode()
    return b"".join(shifted)


def big_trace(path: Path | None) -> bytes:
    """The text of a real trace of 62 MB for benches: of `path`, else of the recordings beside the project, else one
    that is made."""
    recording = ROOT.parent / "shared" / "traces" / "sd35.mi300x.json.gz"
    path = path or (recording if recording.exists() else None)
    if path is None:
        return trace_of_size(62_000_000)
    raw = path.read_bytes()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def wrapper_of_kernels(count: int) -> tuple[str, list[str]]:
    """The example's wrapper with `count` more kernels, each called once, and their names. Each is the SwiGLU kernel
    under another name, without the long comment above it."""
    text = (EXAMPLE / "output_code.py").read_text()
    start = text.index(f"{SWIGLU} = async_compile")
    end = text.index("device_str='cuda')\n", start) + len("device_str='cuda')\n")
    definition = re.sub(r", 'device': .*|, 'mutated_arg_names': .*", "},", text[start:end])
    call = f"            {SWIGLU}.run(buf16, buf15, 268435456, stream=raw_stream0)\n"
    assert call in text
    names = [SWIGLU.removesuffix("2") + str(10 + number) for number in range(count)]
    definitions = "\n\n".join(definition.replace(SWIGLU, name) for name in names)
    calls = "".join(call.replace(SWIGLU, name) for name in names)
    return text[:end] + "\n\n" + definitions + text[end:].replace(call, call + calls), names
