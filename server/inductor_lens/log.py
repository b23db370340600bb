"""The log: one line a problem to the client, everything with tracebacks to the log file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from inductor_lens.editor import Editor

_KINDS = {
    logging.ERROR: types.MessageType.Error,
    logging.WARNING: types.MessageType.Warning,
    logging.INFO: types.MessageType.Info,
    logging.DEBUG: types.MessageType.Log,
}


def start_log(editor: Editor, log_file: Path | None) -> None:
    """Sends our own log to the client, and to a file where one is given. pygls's own log says twice what ours
    says once, with tracebacks, so it goes to the file alone."""
    ours = logging.getLogger("inductor_lens")
    ours.setLevel(logging.DEBUG)
    ours.propagate = False
    ours.addHandler(_ToClient(editor))
    for name in ("pygls", "asyncio", "concurrent.futures"):
        logging.getLogger(name).propagate = False
        logging.getLogger(name).addHandler(logging.NullHandler())
    if log_file is not None:
        to_file = logging.FileHandler(log_file, encoding="utf-8")
        to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        ours.addHandler(to_file)
        for name in ("pygls", "asyncio", "concurrent.futures"):
            logging.getLogger(name).setLevel(logging.WARNING)
            logging.getLogger(name).addHandler(to_file)


class _ToClient(logging.Handler):
    """`window/logMessage`. Clients filter by level themselves; details are sent only while `$/setTrace` asks."""

    def __init__(self, editor: Editor) -> None:
        super().__init__(logging.DEBUG)
        self._editor = editor

    def emit(self, record: logging.LogRecord) -> None:
        """In any thread; a message that cannot be sent is lost."""
        if record.levelno < logging.INFO and not self._editor.wants_details:
            return
        message = record.getMessage().splitlines()
        kind = _KINDS.get(record.levelno, types.MessageType.Log)
        self._editor.log(message[0] if message else "", kind)
