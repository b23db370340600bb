"""A valid trace, damaged at random places: nothing crashes or hangs, and no untouched event changes.

`tests/fuzz/damaged_traces.py` runs many thousands of such cases; here are some hundreds.
"""

from __future__ import annotations

import gzip
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfcore.trace import chunks, read_trace, stored
from tests.perfcore.trace.damaging import apply_edits, check_damaged, random_edits, sound_trace


@pytest.mark.parametrize("block", [64, 1000, stored.BLOCK], ids="blocks of {} bytes".format)
def test_damage_never_changes_an_untouched_event(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "BLOCK", block)
    monkeypatch.setattr(chunks, "BLOCK", block)
    for seed in range(150):
        random = Random(seed)
        trace = sound_trace(random, most_launches=5)
        check_damaged(trace, random_edits(random, trace.text))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 10_000), st.binary(max_size=3))
def test_a_damaged_gzip_file_gives_the_text_before_the_damage(seed: int, at: int, by: bytes) -> None:
    trace = sound_trace(Random(seed), most_launches=8)
    packed = gzip.compress(trace.text, 6)
    at %= len(packed)
    damaged = packed[:at] + by + packed[at + len(by) :] if by else packed[:at]
    found = read_trace("t.json.gz", data=damaged)
    assert found.events <= len(trace.events) + 50
    if damaged != packed and found.complete:
        assert [launch.busy_ns for launch in found.launches] == [
            launch.busy_ns for launch in read_trace("t.json", data=trace.text).launches
        ]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400) | st.text('{}[]":,\\ abX01.-\n', max_size=400).map(str.encode))
def test_any_bytes_end_with_at_most_one_message_of_each_kind(data: bytes) -> None:
    for text in (data, b'{"traceEvents": [' + data, b"[" + data + b"]"):
        codes = [problem.code for problem in read_trace("t.json", data=text).problems]
        assert len(codes) == len(set(codes))
        assert codes


def test_a_case_can_be_told_from_a_sound_one() -> None:
    random = Random(7)
    trace = sound_trace(random)
    edits = random_edits(random, trace.text)
    assert apply_edits(trace.text, edits) != trace.text
