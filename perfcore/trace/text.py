"""The text of a trace as a window that moves forward: bounded memory for a file of any size."""

from __future__ import annotations

from collections.abc import Callable

from perfcore.trace.chunk import GIVE_UP_AFTER
from perfcore.trace.stored import StoredTrace


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The caller's `cancelled()` said so."""


class Text:
    """`window` is the part of the text in memory, `start` the byte offset of its first byte, `ended` says
    that nothing follows it."""

    def __init__(
        self,
        stored: StoredTrace,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.window = b""
        self.start = 0
        self.ended = False
        self._stored = stored
        self._progress = progress
        self._cancelled = cancelled

    def more(self) -> bool:
        """Add the next block to the window; False at the end of the text. Raises Cancelled."""
        if self.ended:
            return False
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        block = self._stored.read()
        if self._progress is not None:
            self._progress(self._stored.done_bytes, self._stored.total_bytes)
        if not block:
            self.ended = True
            return False
        self.window += block
        return True

    def drop(self, length: int) -> None:
        """Forget the first `length` bytes of the window, which may be all of it."""
        self.start += min(length, len(self.window))
        self.window = self.window[length:]

    def stop(self) -> None:
        """Take the text as ended here."""
        self.ended = True

    def rewind(self) -> None:
        """Stand before the text's first byte again."""
        self._stored.rewind()
        self.window, self.start, self.ended = b"", 0, False

    def peek(self) -> bytes:
        """The next byte that is no whitespace, b"" at the end; the window then starts with it."""
        begun = self.start
        while self.start - begun < GIVE_UP_AFTER:
            stripped = self.window.lstrip(b" \t\r\n")
            self.start += len(self.window) - len(stripped)
            self.window = stripped
            if stripped:
                return stripped[:1]
            if not self.more():
                break
        return b""
