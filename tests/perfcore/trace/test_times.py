"""Times are exact to the nanosecond, however they are written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfcore.trace.times import parse_ns


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("100", 100_000),
        ("100.0", 100_000),
        ("9.250", 9_250),
        ("9.25", 9_250),
        ("1747113600123456.789", 1_747_113_600_123_456_789),
        ('"1747113600123456.789"', 1_747_113_600_123_456_789),
        ('" 9.250 "', 9_250),
        ("2915995397050.018", 2_915_995_397_050_018),
        ("1.5e3", 1_500_000),
        ("1E-3", 1),
        ("1.2345", 1_234),
        ("1.2346", 1_235),
        ("-4.5", -4_500),
        ("-0.0", 0),
    ],
)
def test_microseconds_in_every_notation(text: str, ns: int) -> None:
    assert parse_ns(text.encode()) == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        '"N/A"',
        "true",
        "inf",
        "-Infinity",
        "NaN",
        "[]",
        "{}",
        '""',
        "1e999999999",
        "9" * 30,
        "9" * 5000,
    ],
)
def test_what_is_no_time_is_absent(text: str) -> None:
    assert parse_ns(text.encode()) is None
    assert parse_ns(text.encode(), -7) == -7


@given(st.integers(0, 10**18), st.booleans())
def test_three_decimals_never_lose_a_digit(ns: int, quoted: bool) -> None:
    text = f"{ns // 1000}.{ns % 1000:03d}"
    assert parse_ns((f'"{text}"' if quoted else text).encode()) == ns


@given(st.decimals(-(10**15), 10**15, places=6))
def test_any_number_is_rounded_to_the_nearest_nanosecond(microseconds: Decimal) -> None:
    ns = parse_ns(str(microseconds).encode())
    assert ns is not None
    assert abs(ns - microseconds * 1000) <= Decimal("0.5")
