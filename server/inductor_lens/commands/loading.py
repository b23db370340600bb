"""Traces and sources for a command, read with progress on a terminal."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from inductor_lens.captures import Captures
from inductor_lens.commands.paths import expand
from inductor_lens.commands.problems import say
from perfcore.inductor.cache import SourceIndex, cache_directories
from perfcore.inductor.cache_files import from_home
from perfcore.inductor.choose import Choice, choose_source
from perfcore.problem import Problem
from perfcore.report import FindSources, ReportOptions
from perfcore.trace import read_trace
from perfcore.trace.model import Launch, Trace


def load_traces(paths: Sequence[Path], capture_paths: Sequence[Path] = ()) -> list[Trace]:
    """The traces, in the order given. Replayed kernels get their arguments from the captures given; without any, from
    another of the traces or one beside them that is certainly theirs. What is wrong with a capture is said on stderr."""
    with _progress() as progress:
        given = [_load(path, progress) for path in expand(capture_paths)]
        captures = [capture for capture in given if capture.launches]
        traces = [_load(path, progress, captures) for path in expand(paths)]
    say(problem for capture in given for problem in capture.problems if problem.severity == "error")
    if captures:
        return traces
    nearby = Captures()
    return [nearby.give(trace, traces, lambda: False) for trace in traces]


def _load(path: Path, progress: Progress, captures: Sequence[Trace] = ()) -> Trace:
    if path.is_dir():
        message = f"{path} is a folder without traces: give .json or .json.gz files of torch.profiler."
        return _nothing(path, message)
    size = path.stat().st_size if path.is_file() else None
    task = progress.add_task(path.name, total=size)
    trace = read_trace(
        path,
        progress=lambda done, total: progress.update(task, completed=done, total=total),
        captures=captures,
    )
    progress.remove_task(task)
    return trace


def _nothing(path: Path, message: str) -> Trace:
    """What is known of a trace that cannot be there."""
    problem = Problem("trace-unreadable", "error", message, str(path))
    return replace(read_trace(path), problems=(problem,))


@contextmanager
def _progress() -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


def source_finder(explicit: Sequence[Path]) -> tuple[FindSources, list[Problem]]:
    """How a launch's sources are looked up: in the directories given, then where PyTorch keeps its cache."""
    index = SourceIndex()
    given = set(map(from_home, explicit))
    problems = [
        problem
        for directory in cache_directories(explicit)
        for problem in index.add_directory(directory, given=directory in given)
    ]
    return finder(index), problems


def finder(index: SourceIndex) -> FindSources:
    """How a launch's sources are looked up in an index."""

    def find(launch: Launch) -> Choice:
        return choose_source(launch.args, launch.name, index)

    return find


def report_options(options: argparse.Namespace) -> ReportOptions:
    """The report options of a command that has the trace arguments."""
    return ReportOptions(options.device, options.peak_bandwidth, getattr(options, "sort", "time"))
