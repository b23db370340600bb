"""Traces as they are stored: plain, gzip in all its states, under any name."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest

from perfcore.trace import read_trace
from perfcore.trace.stored import BLOCK, StoredTrace

LINES = [json.dumps({"ph": "i", "name": f"event {number}", "ts": number * 7919}) for number in range(4000)]
TEXT = ('{"traceEvents": [\n' + ",\n".join(LINES) + "\n]}").encode()
PACKED = gzip.compress(TEXT)


def text_of(data: bytes) -> tuple[bytes, str | None]:
    stored = StoredTrace("t", data)
    text = b"".join(iter(stored.read, b""))
    return text, stored.damage


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_sound_files_are_read_whole(level: int) -> None:
    assert text_of(TEXT) == (TEXT, None)
    assert text_of(gzip.compress(TEXT, level)) == (TEXT, None)


def test_no_block_is_larger_than_it_should_be() -> None:
    for data in (TEXT, PACKED):
        stored = StoredTrace("t", data)
        assert max(map(len, iter(stored.read, b""))) <= BLOCK


def test_members_that_were_joined_are_one_text() -> None:
    third = len(TEXT) // 3
    joined = gzip.compress(TEXT[:third]) + gzip.compress(b"") + gzip.compress(TEXT[third:])
    assert text_of(joined) == (TEXT, None)
    assert text_of(joined + b"\0" * 700) == (TEXT, None)


def test_every_field_of_a_gzip_header_is_skipped() -> None:
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(TEXT) + deflate.flush()
    trailer = zlib.crc32(TEXT).to_bytes(4, "little") + len(TEXT).to_bytes(4, "little")
    header = (
        b"\x1f\x8b\x08"
        + bytes([4 | 8 | 16 | 2])
        + bytes(6)
        + b"\x03\x00abc"
        + b"name\0"
        + b"comment\0"
        + b"\0\0"
    )
    assert text_of(header + body + trailer) == (TEXT, None)


@pytest.mark.parametrize("cut", [1, 5, 8, 9, 100, len(PACKED) // 2])
def test_a_file_that_ends_early_gives_its_text_up_to_there(cut: int) -> None:
    text, damage = text_of(PACKED[:-cut])
    assert TEXT.startswith(text)
    assert len(text) > len(TEXT) * (len(PACKED) - cut) // len(PACKED) - 4000
    assert damage == f"its gzip data ends in the middle, at byte {len(PACKED) - cut} of the file"


@pytest.mark.parametrize("at", [-1, -5])
def test_a_wrong_checksum_or_length_loses_nothing(at: int) -> None:
    damaged = bytearray(PACKED)
    damaged[at] ^= 0x55
    assert text_of(bytes(damaged)) == (TEXT, "its gzip checksum is wrong, so parts of it may be damaged")


def test_damage_in_the_middle_gives_the_text_before_it() -> None:
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    third = len(TEXT) // 3
    before = deflate.compress(TEXT[:third]) + deflate.flush(zlib.Z_FULL_FLUSH)
    text, damage = text_of(before + b"\xff" * 40 + deflate.compress(TEXT[third:]) + deflate.flush())
    assert TEXT.startswith(text)
    assert len(text) >= third - 1  # zlib gives no byte in the call in which it meets the damage
    assert damage is not None
    assert "its gzip data is damaged near byte" in damage


def test_bytes_after_the_end_are_said_and_lose_nothing() -> None:
    text, damage = text_of(PACKED + b"garbage")
    assert text == TEXT
    assert damage == f"other bytes follow its gzip data, at byte {len(PACKED)} of the file"


def test_a_broken_header_is_said() -> None:
    assert text_of(PACKED[:7]) == (b"", "its gzip header is damaged, at byte 0 of the file")


def test_content_decides_and_not_the_name(tmp_path: Path) -> None:
    for name, data in (("packed.json", PACKED), ("plain.json.gz", TEXT)):
        path = tmp_path / name
        path.write_bytes(data)
        trace = read_trace(path)
        assert (trace.events, trace.text_bytes, trace.complete) == (4000, len(TEXT), True)


def test_a_trace_with_a_wrong_checksum_is_used_and_said_to_be_damaged() -> None:
    damaged = PACKED[:-8] + bytes(8)
    trace = read_trace("t.json.gz", data=damaged)
    assert (trace.events, trace.complete) == (4000, False)
    assert trace.problems[0].code == "trace-damaged"
    assert "checksum" in trace.problems[0].message


def test_a_file_that_cannot_be_opened_is_one_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        trace = read_trace(path)
        assert [problem.code for problem in trace.problems] == ["trace-unreadable"]
        assert (trace.events, trace.launches, trace.complete) == (0, (), False)
