"""Work that goes on beside the answers: its tasks are kept, cancelled together, and fail into the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Tasks:
    """The running tasks of one session."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begins some work."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def instead(self, of: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begins some work in the place of what it supersedes."""
        cancel(of)
        return self.start(work)

    def stop(self) -> None:
        """Ends all that runs."""
        for task in tuple(self._running):
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A background task failed: %s", error, exc_info=error)


def cancel(task: asyncio.Task[None] | None) -> None:
    """Ends a task, if there is one."""
    if task is not None:
        task.cancel()
