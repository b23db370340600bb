"""The documents that the client has open: their text is the editor's, not the disk's."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types
from pygls import uris

from inductor_lens.text_buffer import TextBuffer


class Version(NamedTuple):
    """One state of one open document. `serial` tells states apart even when the client's numbers do not."""

    uri: str
    number: int | None
    serial: int


class Document:
    """An open document. `version` changes with every edit; `uri` is spelled as the client spelled it."""

    def __init__(self, item: types.TextDocumentItem, serial: int) -> None:
        self.uri = item.uri
        self.key = document_key(item.uri)
        self.path = path_of(item.uri)
        self.language_id = item.language_id
        self.version = Version(item.uri, item.version, serial)
        self._buffer = TextBuffer(item.text)

    def text(self) -> str:
        """The whole text as the editor has it."""
        return self._buffer.text()

    def length(self) -> int:
        """How many characters the text has."""
        return self._buffer.length()

    def edit(
        self, version: int | None, serial: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Applies the client's changes in their order."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                self._buffer.replace((start.line, start.character), (end.line, end.character), change.text)
            else:
                self._buffer = TextBuffer(change.text)
        self.version = Version(self.uri, version, serial)


class Documents:
    """All open documents, found by any spelling of their URI."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._serial = 0

    def open(self, item: types.TextDocumentItem) -> None:
        """A second open of the same document replaces the first."""
        self._serial += 1
        document = Document(item, self._serial)
        self._open[document.key] = document

    def change(
        self,
        identifier: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> None:
        """Edits a document; a change of one that was never opened is ignored."""
        self._serial += 1
        if (document := self.get(identifier.uri)) is not None:
            document.edit(identifier.version, self._serial, changes)

    def close(self, uri: str) -> None:
        """Forgets a document, if it is open."""
        self._open.pop(document_key(uri), None)

    def get(self, uri: str) -> Document | None:
        """The open document of this URI."""
        return self._open.get(document_key(uri))

    def at_path(self, path: str) -> Document | None:
        """The open document of this file."""
        return self._open.get(normal_path(path))

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))


def document_key(uri: str) -> str:
    """One key for all spellings of a URI: a file's normal path, else the URI itself."""
    path = path_of(uri)
    return uri if path is None else path


def path_of(uri: str) -> str | None:
    """The normal path of a `file:` URI, None for any other."""
    if not uri.startswith("file:"):
        return None
    try:
        path = uris.to_fs_path(uri)
    except ValueError:
        return None
    return normal_path(path) if path and can_be_path(path) else None


def can_be_path(text: str) -> bool:
    """Whether a file may be called so: without a NUL or half a surrogate pair, at which the system's calls fail."""
    return "\0" not in text and text == _unicode(text)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def normal_path(path: str) -> str:
    """A path without `.`, `..` and doubled slashes; links are not followed."""
    return os.path.normpath(path)


def uri_of(path: str) -> str:
    """The `file:` URI of an absolute path. A file whose name is no Unicode has none that would lead to it."""
    path = _unicode(path)
    return uris.from_fs_path(path) or f"file://{path}"
