"""Documents that are too big to be stored: the example, made larger in the way that real ones are."""

from __future__ import annotations

import re
from functools import lru_cache

from .raw_client import ROOT

EXAMPLE = ROOT / "examples" / "transformer_block"
SWIGLU = "triton_poi_fused__unsafe_view_mul_silu_2"


@lru_cache(maxsize=1)
def _stretch() -> tuple[bytes, bytes, bytes]:
    """The example trace's text before its events, its events, and what follows them."""
    text = (EXAMPLE / "trace.json").read_bytes()
    start = text.index(b"[", text.index(b'"traceEvents"')) + 1
    end = text.rindex(b"]")
    return text[:start], text[start:end].strip(), text[end:]


def trace_of_size(size: int) -> bytes:
    """The example trace with its events over and over, `size` bytes of text and a little more. Each repetition has
    its own ids and comes later, so that none is a duplicate: four launches for each."""
    before, events, after = _stretch()
    parts = _NUMBERS.split(events)
    repetitions = max(1, size // len(events))
    return before + b",\n".join(_shifted(parts, number) for number in range(repetitions)) + after


def repetitions_in(size: int) -> int:
    """How often the example's events stand in a trace of that size."""
    return max(1, size // len(_stretch()[1]))


_NUMBERS = re.compile(rb'("(?:correlation|External id|ts|id)": )(\d+)')
_ID_STEP, _TIME_STEP = 10_000, 100_000


def _shifted(parts: list[bytes], number: int) -> bytes:
    shifted = list(parts)
    for index in range(1, len(parts), 3):
        step = _TIME_STEP if parts[index].startswith(b'"ts"') else _ID_STEP
        shifted[index + 1] = str(int(parts[index + 1]) + number * step).encode()
    return b"".join(shifted)


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
