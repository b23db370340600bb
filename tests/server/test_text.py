"""Places in a text as LSP counts them, and texts that are edited while open."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inductor_lens import text_buffer
from inductor_lens.text_buffer import TextBuffer
from inductor_lens.text_index import file_chunks, spots, utf16_length

TEXTS = st.text(st.sampled_from("ab\n\r\u2028\u0085\x0cé😀"), max_size=60)


def lsp_lines(text: str) -> list[str]:
    """The slow and obvious way: lines with their ends."""
    lines, line = [], ""
    for index, character in enumerate(text):
        line += character
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            lines.append(line)
            line = ""
    return [*lines, line]


def spot_of(text: str, index: int) -> tuple[int, int]:
    lines = lsp_lines(text[:index] + "\0" + text[index:])
    line = next(number for number, content in enumerate(lines) if "\0" in content)
    return line, utf16_length(lines[line].split("\0")[0])


def test_columns_are_utf16_and_only_three_line_ends_count() -> None:
    text = "é\u2028😀{\r\n\u0085{\r{\x0c{"
    braces = [index for index, character in enumerate(text) if character == "{"]
    offsets = [len(text[:index].encode()) for index in braces]
    assert list(spots([text.encode()], offsets)) == [(0, 4), (1, 1), (2, 0), (2, 2)]


@given(TEXTS, st.integers(1, 9))
def test_spots_are_those_of_the_obvious_way_however_the_text_is_chunked(text: str, size: int) -> None:
    data = text.encode()
    # Not between "\r" and "\n", nor inside a character: no event begins there.
    indices = [i for i in range(len(text) + 1) if text[i - 1 : i + 1] != "\r\n"]
    offsets = [len(text[:i].encode()) for i in indices]
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    assert list(spots(chunks, offsets)) == [spot_of(text, i) for i in indices]


def test_a_byte_order_mark_takes_no_column_and_invalid_bytes_take_one() -> None:
    assert list(spots([b"\xef\xbb\xbf{"], [3])) == [(0, 0)]
    assert list(spots([b"\xff\xc0{"], [2])) == [(0, 2)]


def test_a_cut_gz_has_places_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = b"[\n" + b"{},\n" * 100_000
    packed = gzip.compress(whole)
    path = tmp_path / "cut.json.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert whole.startswith(b"".join(file_chunks(path)))
    path.write_bytes(packed)
    assert b"".join(file_chunks(path)) == whole


@given(
    TEXTS, st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70), TEXTS), max_size=6), st.integers(1, 8)
)
def test_edits_give_the_text_that_a_plain_string_gives(
    text: str, edits: list[tuple[int, int, str]], piece: int
) -> None:
    text_buffer.PIECE, whole = piece, text_buffer.PIECE
    try:
        buffer = TextBuffer(text)
        for one, other, new in edits:
            indices = sorted((min(one, len(text)), min(other, len(text))))
            # A place between "\r" and "\n" is at the line's end for LSP.
            start, end = (i - (text[i - 1 : i + 1] == "\r\n") for i in indices)
            places = [spot_of(text, i) for i in (start, end)]
            text = text[:start] + new + text[end:]
            buffer.replace(places[0], places[1], new)
            assert buffer.text() == text
    finally:
        text_buffer.PIECE = whole


def test_positions_outside_the_text_are_clamped_and_a_pair_is_never_cut() -> None:
    buffer = TextBuffer("a😀\nb")
    buffer.replace((0, 2), (0, 2), "x")
    assert buffer.text() == "ax😀\nb"
    buffer.replace((7, 0), (9, 9), "!")
    buffer.replace((0, 99), (0, 99), "?")
    assert buffer.text() == "ax😀?\nb!"


def test_a_thousand_edits_of_a_big_text_touch_only_their_pieces() -> None:
    text = '{"name": "é", "ts": 1},\n' * 100_000
    buffer = TextBuffer(text)
    shuffled = random.Random(0)
    lines = text.split("\n")
    pieces = len(buffer._pieces)
    for _ in range(1000):
        line = shuffled.randrange(100_000)
        buffer.replace((line, 10), (line, 11), "ü")
        lines[line] = lines[line][:10] + "ü" + lines[line][11:]
    assert buffer.text() == "\n".join(lines)
    assert len(buffer._pieces) == pieces
