"""Finding the closing bracket and the commas of a call in text that need not be whole Python."""

from __future__ import annotations

import re

_MAX_CALL_CHARS = 400_000
"""Longer argument lists are given up on: the widest foreach kernels pass some thousand buffers."""

_MAX_UNCLOSED = 10

_TOKEN = re.compile(
    r"'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|[()\[\]{},]|#[^\n]*", re.DOTALL
)

_FLAT = re.compile(r"[(\[][^()\[\]{}'\"#]*[)\]]")

Piece = tuple[int, int]


class CallSplitter:
    """Splits the calls of one text. What it spends on brackets that never close is bounded for the whole text:
    after ten of them it gives up at once on any call that is not closed on its own line."""

    __slots__ = ("_text", "_unclosed")

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed = 0

    def split(self, opening: int) -> tuple[int, list[Piece]] | None:
        """The call whose opening bracket stands at `opening`: the index of its closing bracket and the
        (start, end) of each argument without white space around it. None where no bracket closes it."""
        if self._unclosed < _MAX_UNCLOSED:
            end = min(len(self._text), opening + _MAX_CALL_CHARS)
        else:
            line_end = self._text.find("\n", opening, opening + 4096)
            end = line_end if line_end >= 0 else opening
        found = split_call(self._text, opening, end)
        self._unclosed += found is None
        return found


def split_call(text: str, opening: int, end: int) -> tuple[int, list[Piece]] | None:
    """As `CallSplitter.split`, looking no further than `end`. Brackets and commas in strings and comments do not
    count."""
    depth = 0
    start = opening + 1
    pieces: list[Piece] = []
    for token in _TOKEN.finditer(text, opening, end):
        match token.group():
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth -= 1
                if depth == 0:
                    pieces.append(_stripped(text, start, token.start()))
                    return token.start(), [piece for piece in pieces if piece[0] < piece[1]]
            case "," if depth == 1:
                pieces.append(_stripped(text, start, token.start()))
                start = token.end()
    return None


def split_items(text: str) -> list[str]:
    """The items of `(8, 2048, )` or `[a, b]` as texts; [] where the text is no such thing."""
    if text[:1] not in {"(", "["}:
        return []
    if _FLAT.fullmatch(text):
        return [item for part in text[1:-1].split(",") if (item := part.strip())]
    found = split_call(text, 0, len(text))
    return [text[start:end] for start, end in found[1]] if found else []


def line_start(text: str, index: int) -> int:
    """Where the line begins, or 2,000 characters back: no statement that is looked for is longer before its call."""
    bound = max(0, index - 2000)
    return max(bound, text.rfind("\n", bound, index) + 1)


def _stripped(text: str, start: int, end: int) -> Piece:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
