"""A time as a trace writes it → integer nanoseconds, without ever passing through a float.

Chrome's format counts microseconds; Kineto writes them with three decimals since PyTorch 2.4, others as
integers, floats with an exponent, or strings. At 10¹⁵ µs a float's steps are an eighth of a microsecond.
"""

from __future__ import annotations

from decimal import Decimal

_LARGEST_NS = 2**62
"""146 years: no time in a trace is longer, and the sum of two still fits into a column of 64 bits."""


def parse_ns(text: bytes) -> int | None:
    """Microseconds as JSON text (a number, or a string that holds one) → nanoseconds, rounded to nearest.

    None for no text, for what is not a finite number, and beyond ±146 years.
    """
    whole, _, fraction = text.partition(b".")
    if len(fraction) == 3 and len(whole) < 17 and whole.isdigit() and fraction.isdigit():
        ns = int(whole + fraction)
        return ns if ns < _LARGEST_NS else None
    return _parse_any(text)


def _parse_any(text: bytes) -> int | None:
    if text.startswith(b'"'):
        text = text.strip(b'"').strip()
    if len(text) > 64:
        return None
    try:
        ns = Decimal(text.decode("ascii")) * 1000
        if not -_LARGEST_NS < ns < _LARGEST_NS:
            return None
        return round(ns)
    except (ArithmeticError, ValueError):
        return None
