"""Text that is not quite JSON → JSON, where there is only one thing that it can mean.

Hand-made writers print `inf` and `nan`, Windows paths with single backslashes, names with control bytes, and a
comma behind the last item. `mend_in_place` keeps every byte at its place, so that events can be found in the
result and positions stay right; `mend` keeps the meaning, for one event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# No two neighbouring repeats may match the same text: hostile digits would take quadratic time.
_NUMBER = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_LITERAL = rb"(?:true|false|null|" + _NUMBER + rb")"
_IS_LITERAL = re.compile(_LITERAL + rb"\Z")
_NO_VALUE = rb"[-+]?(?i:inf(?:inity)?|nan(?:\(\w{0,20}\))?|n/a|none|nil|undefined|1\.#\w{1,20})"
_IS_NO_VALUE = re.compile(_NO_VALUE + rb"\Z")
_LOOSE_NUMBER = rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_IS_LOOSE_NUMBER = re.compile(_LOOSE_NUMBER + rb"\Z")
_NUMBER_PARTS = re.compile(rb"([-+]?)0*([0-9]*)(?:\.([0-9]*))?(.*)\Z")
_PYTHON_WORDS = {b"True": b"true", b"False": b"false"}

_LOOSE_VALUE = re.compile(
    rb"([:\[,]\s*)(?!" + _LITERAL + rb"\s*[,}\]])"
    rb"(" + _NO_VALUE + rb"|True|False|" + _LOOSE_NUMBER + rb")(?=\s*[,}\]])"
)
_LOOSE_COMMA = re.compile(rb",(?=\s*[,}\]])")
_ESCAPE = re.compile(
    rb"(?P<legal>\\(?:[\"\\/bfnrt]"
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))"
    rb"|(?P<half>\\u[0-9a-fA-F]{4})"
    rb"|\\"
)
_PIECE = 64 * 1024
_LONGEST_EVENT = 256 * 1024
_CONTROL = re.compile(rb"[\x00-\x1f]")
_CONTROLS_BLANKED = b" " * 32 + bytes(range(32, 256))
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_TOKEN = re.compile(
    rb'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<word>[^\s"{}\[\]:,]+)|(?P<comma>,(?=\s*[,}\]]))|[\f\v]',
    re.DOTALL,
)


def mend_in_place(text: bytes) -> bytes:
    """The text with all that can be mended without moving a byte; its structure is right, its values may not
    be (inside strings, too, commas and words are replaced)."""
    return b"".join(_mend_piece(piece) for piece in _pieces(text.translate(_CONTROLS_BLANKED)))


def _pieces(text: bytes) -> Iterator[bytes]:
    """Pieces that end behind a `}`, or at least not within an escape, since a match costs more memory than the
    text that it matches."""
    position = 0
    while len(text) - position > _PIECE:
        end = text.rfind(b"}", position, position + _PIECE) + 1
        if end <= position:
            end = position + _PIECE
            piece = text[position:end]
            end -= (len(piece) - len(piece.rstrip(b"\\"))) % 2
        yield text[position:end]
        position = end
    yield text[position:]


def _mend_piece(text: bytes) -> bytes:
    if b"\\" in text:
        text = _ESCAPE.sub(lambda m: m["legal"] or (b"\\ufffd" if m["half"] else b"/"), text)
    if not text.isascii():
        text = _HIGH_BYTES.sub(lambda m: m[0] if is_utf8(m[0]) else b"?" * len(m[0]), text)
    text = _LOOSE_VALUE.sub(lambda m: m[1] + b"0".ljust(len(m[2])), text)
    return _LOOSE_COMMA.sub(b" ", text)


def mend(text: bytes) -> tuple[bytes, list[str]]:
    """The text of one event as JSON, and what had to be mended. (A very long one stays as it is.)"""
    found: dict[str, None] = {}
    if len(text) > _LONGEST_EVENT:
        return text, []

    def token(match: re.Match[bytes]) -> bytes:
        if match["string"] is not None:
            return _mend_string(match["string"], found)
        if match["word"] is not None:
            return _mend_word(match["word"], found)
        found["a stray comma" if match["comma"] else "control characters"] = None
        return b" "

    return _TOKEN.sub(token, text), list(found)


def _mend_word(word: bytes, found: dict[str, None]) -> bytes:
    if _IS_LITERAL.match(word):
        return word
    if _CONTROL.search(word):
        found["control characters"] = None
        return _mend_word(_CONTROL.sub(b"", word), found)
    if _IS_NO_VALUE.match(word):
        found[f"a bare {word.decode()}"] = None
        return b"null"
    if word in _PYTHON_WORDS:
        found[f"a bare {word.decode()}"] = None
        return _PYTHON_WORDS[word]
    parts = _NUMBER_PARTS.match(word) if _IS_LOOSE_NUMBER.match(word) else None
    if parts:
        found[f"the number {word[:20].decode()}"] = None
        sign, whole, fraction, exponent = parts.groups()
        return (
            (b"-" if sign == b"-" else b"")
            + (whole or b"0")
            + (b"." + fraction if fraction else b"")
            + exponent
        )
    return word


def _mend_string(string: bytes, found: dict[str, None]) -> bytes:
    if not is_utf8(string):
        found["invalid UTF-8"] = None
        string = string.decode(errors="replace").encode()
    if _CONTROL.search(string):
        found["control characters"] = None
        string = _CONTROL.sub(lambda m: b"\\u%04x" % m[0][0], string)
    if b"\\" in string:
        mended = _ESCAPE.sub(lambda m: m["legal"] or (b"\\ufffd" if m["half"] else b"\\\\"), string)
        if mended != string:
            found["illegal escapes"] = None
            string = mended
    return string


def is_utf8(text: bytes) -> bool:
    try:
        return text.isascii() or text.decode() is not None
    except UnicodeDecodeError:
        return False
