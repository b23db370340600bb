"""Work off the event loop: one thread a lane, so that loads wait for each other and never for an answer.

The threads are daemons: a server that ends does not wait for a parse. Results come back on the event loop.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """One piece of work. `await job.result`; `cancel()` from the loop, `cancelled()` polled by the work."""

    def __init__(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop) -> None:
        self.result: asyncio.Future[T] = loop.create_future()
        self._work: Callable[[], T] | None = work
        self._loop = loop

    def run(self) -> None:
        """In the lane's thread."""
        work, self._work = self._work, None
        if work is None or self.result.cancelled():
            return
        try:
            value = work()
        except BaseException as error:
            self._post(self._fail, error)
        else:
            self._post(self._succeed, value)

    def _post(self, call: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:
            return  # the loop has ended

    def _succeed(self, value: T) -> None:
        if not self.result.done():
            self.result.set_result(value)

    def _fail(self, error: BaseException) -> None:
        if not self.result.done():
            self.result.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))


class Lane:
    """A thread that works jobs off in their order. Started by its first job."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job[object]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """The future result of `work`; cancelling it before its turn means that it is never begun."""
        job = Job(work, asyncio.get_running_loop())
        self._jobs.put(job)  # type: ignore[arg-type]
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return job.result

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            job.run()
            del job  # or the last result would be held until the next job
