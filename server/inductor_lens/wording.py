"""Numbers as people read them, and names that are safe inside Markdown."""

from __future__ import annotations

import re

UNKNOWN = "–"
"""What stands where a figure is not known."""

_MIB = 1024 * 1024
_MARKDOWN = re.compile(r"([\\`*{}\[\]<>#|~$&]|(?<![^\W_])_|_(?![^\W_]))")
"""What would mean something: an underscore within a word does not, nor do parentheses without brackets before."""


def bandwidth(tb_s: float | None) -> str:
    """3.187 → `3.19 TB/s`, 0.0123 → `12.3 GB/s`."""
    if tb_s is None:
        return UNKNOWN
    if tb_s >= 0.0995:
        return f"{tb_s:,.2f} TB/s"
    return f"{_significant(tb_s * 1e3, 3)} GB/s"


def percent(value: float | None) -> str:
    """60.14 → `60 %`, 0.31 → `0.3 %`, 0.02 → `<0.1 %`."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:,.0f} %" if abs(value) >= 0.95 else f"{value:.1f} %"


def change(value: float) -> str:
    """A change against a baseline: 12.3 → `+12 %`, -0.2 → `±0 %`."""
    rounded = round(value)
    return "±0 %" if rounded == 0 else f"{'+' if rounded > 0 else '−'}{abs(rounded):,} %"


def megabytes(bytes_moved: int | None) -> str:
    """Short: 1610612736 → `1,536 MB`, 268439552 → `256 MB`, 4096 → `4 KB` (1024 × 1024 and 1024 bytes)."""
    if bytes_moved is None:
        return UNKNOWN
    if bytes_moved < 1024:
        return f"{bytes_moved} B"
    if bytes_moved < 0.0995 * _MIB:
        return f"{_significant(bytes_moved / 1024, 3)} KB"
    return f"{_significant(bytes_moved / _MIB, 3)} MB"


def exact_megabytes(bytes_moved: int | None) -> str:
    """In full, to a thousandth: 268439552 → `256.004`, 1610612736 → `1,536`."""
    return UNKNOWN if bytes_moved is None else _thousandths(bytes_moved / _MIB)


def gigaflop(flops: int | None) -> str:
    """1342177280 → `1.342 GFLOP`."""
    return UNKNOWN if flops is None else f"{gflops_number(flops)} GFLOP"


def gflops_number(flops: int | None) -> str:
    """1342177280 → `1.342`, 3584 → `3.58e-6`."""
    if flops is None:
        return UNKNOWN
    gflops = flops / 1e9
    if flops == 0 or gflops >= 0.0005:
        return f"{gflops:,.3f}" if flops else "0"
    return f"{gflops:.2e}".replace("e-0", "e-")


def tflops(tflops_s: float | None) -> str:
    """2.6562 → `2.66`."""
    if tflops_s is None:
        return UNKNOWN
    return f"{tflops_s:,.2f}" if tflops_s >= 0.0995 or tflops_s == 0 else _significant(tflops_s, 3)


def ratio(value: float | None) -> str:
    """FLOP/byte: 0.8333 → `0.833`."""
    return UNKNOWN if value is None else f"{value:,.3f}"


def duration(us: float | None) -> str:
    """505.3 → `505.3 µs`, 77.074 → `77.07 µs`, 12345.6 → `12.35 ms`."""
    if us is None:
        return UNKNOWN
    if us >= 10_000_000:
        return f"{_significant(us / 1e6, 4)} s"
    if us >= 10_000:
        return f"{_significant(us / 1e3, 4)} ms"
    return f"{_significant(us, 4)} µs"


def exact_us(us: float | None) -> str:
    """To the nanosecond: 77.074 → `77.074`, 505.3 → `505.3`."""
    return UNKNOWN if us is None else _thousandths(us)


def markdown(text: str) -> str:
    """Text that a file contains, so that Markdown shows it and does nothing else."""
    flat = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", flat[:500])


def markdown_code(text: str) -> str:
    """The same as an inline code span."""
    flat = " ".join(text.split())[:500].replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{space}{flat}{space}{fence}"


def _significant(value: float, digits: int) -> str:
    """`value` with so many significant digits, no fewer before the point, without trailing zeros."""
    if value == 0:
        return "0"
    decimals = max(0, digits - len(f"{abs(value):.0f}")) if abs(value) >= 1 else digits
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _thousandths(value: float) -> str:
    if 0 < value < 0.0005:
        return "<0.001"
    text = f"{value:,.3f}"
    return text.rstrip("0").rstrip(".")
