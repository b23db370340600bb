"""Traces and sources for a command, read with progress on a terminal."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from perfcore.inductor.cache import SourceIndex, cache_directories
from perfcore.inductor.choose import Choice, choose_source
from perfcore.problem import Problem
from perfcore.report import FindSources, ReportOptions
from perfcore.trace import read_trace
from perfcore.trace.model import Launch, Trace


def load_traces(paths: Sequence[Path], capture_paths: Sequence[Path] = ()) -> list[Trace]:
    """The traces that could be read at all, in the order given; what could not is said on stderr."""
    with _progress() as progress:
        captures = [_load(path, progress, ()) for path in _expand(capture_paths)]
        return [_load(path, progress, captures) for path in _expand(paths)]


def _load(path: Path, progress: Progress, captures: Sequence[Trace]) -> Trace:
    task = progress.add_task(path.name, total=None)
    trace = read_trace(
        path,
        progress=lambda done, total: progress.update(task, completed=done, total=total),
        captures=captures,
    )
    progress.remove_task(task)
    return trace


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Wildcards for shells that leave them to the program (Windows)."""
    expanded: list[Path] = []
    for path in paths:
        found = [] if path.exists() else sorted(path.parent.glob(path.name))
        expanded.extend(found or [path])
    return expanded


@contextmanager
def _progress() -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


def source_finder(explicit: Sequence[Path]) -> tuple[FindSources, list[Problem]]:
    """How a launch's sources are looked up: in the directories given, then where PyTorch keeps its cache."""
    index = SourceIndex()
    given = {Path(os.path.expanduser(path)) for path in explicit}  # noqa: PTH111 - else no such user raises
    problems = [
        problem
        for directory in cache_directories(explicit)
        for problem in index.add_directory(directory, given=directory in given)
    ]

    def find(launch: Launch) -> Choice:
        return choose_source(launch.args, launch.name, index)

    return find, problems


def report_options(options: argparse.Namespace) -> ReportOptions:
    """The report options of a command that has the trace arguments."""
    return ReportOptions(options.device, options.peak_bandwidth, getattr(options, "sort", "time"))
