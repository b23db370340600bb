"""Traces of graph captures, which give replayed kernels their shapes: those that the settings name, those that
are loaded anyway, and those that lie beside a replay and say in their name that they are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from perfcore.inductor.cache_files import FileStamp, file_stamp
from perfcore.trace import find_capture, read_trace, with_captures
from perfcore.trace.model import Trace

MOST_NEARBY = 8
LONGEST_NEARBY = 256 << 20
"""Bytes of a file that is read without having been asked for."""


class Captures:
    """Reads each capture once. Its methods run in a lane."""

    def __init__(self, configured: Sequence[str] = ()) -> None:
        self.configured = tuple(configured)
        self._read: dict[str, tuple[FileStamp, Trace]] = {}

    def give(self, trace: Trace, loaded: Iterable[Trace], cancelled: Callable[[], bool]) -> Trace:
        """The trace, its replayed kernels with the arguments that a capture has for them."""
        if not needs_capture(trace):
            return trace
        named = [
            capture for path in self.configured if (capture := self._capture(path, cancelled)) is not None
        ]
        if named:
            return with_captures(trace, named)
        candidates = {candidate.path: candidate for candidate in loaded if candidate.path != trace.path}
        for path in _nearby(trace.path):
            if path not in candidates and (found := self._capture(path, cancelled)) is not None:
                candidates[path] = found
        capture = find_capture(trace, list(candidates.values()))
        return with_captures(trace, [capture]) if capture is not None else trace

    def _capture(self, path: str, cancelled: Callable[[], bool]) -> Trace | None:
        stamp = file_stamp(path)
        if stamp is None:
            return None
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            # Only its launches are asked for; what is wrong with it is no problem of the replay's.
            known = self._read[path] = stamp, replace(read_trace(path, cancelled=cancelled), problems=())
        return known[1]


def needs_capture(trace: Trace) -> bool:
    """Whether a trace has replayed kernels."""
    return any(launch.args_from != "op" and not launch.autotuning for launch in trace.launches)


def _nearby(path: str) -> list[str]:
    """Traces in the same folder that are called a capture."""
    folder = Path(path).parent
    if not Path(path).is_absolute() or not folder.is_dir():
        return []
    named = sorted(entry for entry in folder.glob("*apture*.json*") if str(entry) != path)
    small = (
        entry for entry in named if (stamp := file_stamp(entry)) is not None and stamp.size <= LONGEST_NEARBY
    )
    return [str(entry) for entry, _ in zip(small, range(MOST_NEARBY), strict=False)]
