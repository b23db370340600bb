"""A time as a trace writes it → integer nanoseconds, without ever passing through a float.

Chrome's format counts microseconds; Kineto writes them with three decimals since PyTorch 2.4, others as
integers, floats with an exponent, or strings. At 10¹⁵ µs a float's steps are an eighth of a microsecond.
"""

from __future__ import annotations

from decimal import Decimal
from typing import overload

_LARGEST_NS = 2**62
"""146 years: no time in a trace is longer, and the sum of two still fits into a column of 64 bits."""

_NS_OF_LAST_DIGIT = (1000, 100, 10, 1)


@overload
def parse_ns(text: bytes) -> int | None: ...
@overload
def parse_ns(text: bytes, absent: int) -> int: ...


def parse_ns(text: bytes, absent: int | None = None) -> int | None:
    """Microseconds as JSON text (a number, or a string that holds one) → nanoseconds, rounded to nearest.

    `absent` for no text, for what is not a finite number, and beyond ±146 years.
    """
    whole, _, fraction = text.partition(b".")
    digits = whole + fraction
    if whole and len(whole) < 17 and len(fraction) < 4 and digits.isdigit():
        ns = int(digits) * _NS_OF_LAST_DIGIT[len(fraction)]
        return ns if ns < _LARGEST_NS else absent
    return _parse_any(text, absent)


def _parse_any(text: bytes, absent: int | None) -> int | None:
    if text.startswith(b'"'):
        text = text.strip(b'"').strip()
    if len(text) > 64:
        return absent
    try:
        ns = Decimal(text.decode("ascii")) * 1000
        return round(ns) if -_LARGEST_NS < ns < _LARGEST_NS else absent
    except (ArithmeticError, ValueError):
        return absent
