"""`inductor-lens doctor`: versions, search paths, what was found, what is missing."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from inductor_lens import __version__, wording
from inductor_lens.commands.loading import finder
from inductor_lens.commands.paths import TRACE_NAMES, head, is_trace
from perfcore.counted import counted, part_of
from perfcore.inductor.cache import SourceIndex, cache_directories, looks_like_inductor
from perfcore.inductor.cache_files import from_home
from perfcore.report import Report, build_report
from perfcore.trace import read_trace

_PACKAGES = ("pygls", "lsprotocol", "orjson", "msgspec", "isal", "rich")
_SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", "site-packages"})
_MAX_FILES = 20_000
_MAX_LISTED = 10
_LONGEST_READ = 64 << 20
"""Bytes of a trace that is looked into: a doctor must not take minutes."""


@dataclass(frozen=True, slots=True)
class Found:
    """What lies below a folder; `complete` is False where not all files were looked at."""

    traces: tuple[Path, ...]
    sources: tuple[Path, ...]
    complete: bool


def run(options: argparse.Namespace) -> int:
    """Exit status 0 when a workspace has a trace and a source, 1 when something is missing, 2 without a folder."""
    workspace: Path = options.workspace
    if not workspace.is_dir():
        print(f"error: {workspace} is no folder: give the one that you open in the editor", file=sys.stderr)
        return 2
    _say_versions()
    index = SourceIndex()
    cached = _say_search_paths(options.inductor_cache_dir, index)
    found = _look(workspace)
    for path in found.sources:
        index.add_file(path)
    print(
        f"\nWorkspace {workspace.resolve()}"
        + ("" if found.complete else f" (its first {_MAX_FILES:,} files)")
    )
    reports = _say_traces(found.traces, workspace, index)
    _say_sources(found.sources, workspace)
    missing = list(_missing(found, cached, reports))
    print("\nMissing" if missing else "\nNothing is missing.")
    for line in missing:
        print(f"  {line}")
    return 1 if missing else 0


def _say_versions() -> None:
    print(f"inductor-lens {__version__}")
    print(f"Python {platform.python_version()} at {sys.executable} on {platform.platform()}")
    print("  " + ", ".join(f"{package} {_version(package)}" for package in _PACKAGES))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"


def _say_search_paths(explicit: list[Path], index: SourceIndex) -> int:
    """Prints where sources are looked for, adds them to the index, and returns how many kernels lie there."""
    configured = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    print(f"\nInductor's files are looked for in (TORCHINDUCTOR_CACHE_DIR is {configured or 'not set'})")
    given_here = set(map(from_home, explicit))
    total = 0
    for directory in cache_directories(explicit):
        if not directory.is_dir():
            print(f"  {directory}: not there")
            continue
        index.add_directory(directory, given=directory in given_here)
        below = (file for file in index.files() if Path(file.path).is_relative_to(directory))
        kernels = sum(len(file.kernels) for file in below)
        total += kernels
        print(f"  {directory}: {counted(kernels, 'kernel')}")
    return total


def _look(workspace: Path) -> Found:
    traces: list[Path] = []
    sources: list[Path] = []
    for count, path in enumerate(_files(workspace)):
        if count >= _MAX_FILES:
            return Found(tuple(traces), tuple(sources), complete=False)
        if path.name.endswith(TRACE_NAMES) and is_trace(path):
            traces.append(path)
        elif path.suffix == ".py" and looks_like_inductor(head(path).decode("utf-8", "replace")):
            sources.append(path)
    return Found(tuple(traces), tuple(sources), complete=True)


def _files(workspace: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(workspace):
        folders[:] = sorted(set(folders) - _SKIPPED)
        yield from (Path(folder, name) for name in sorted(files))


def _say_traces(traces: Sequence[Path], workspace: Path, index: SourceIndex) -> list[Report]:
    """Lists the traces with what is in them, and returns the reports of those that were read."""
    print(f"  {counted(len(traces), 'trace')}")
    reports: list[Report] = []
    for path in traces[:_MAX_LISTED]:
        size = path.stat().st_size
        line = f"    {path.relative_to(workspace)} ({wording.megabytes(size)})"
        if size > _LONGEST_READ:
            print(f"{line}: too large to be looked into here")
            continue
        report = build_report((read_trace(path),), finder(index))
        reports.append(report)
        print(f"{line}: {_contents(report)}")
        for problem in report.problems:
            print(f"      {problem.severity}: {problem.message} [{problem.code}]")
    _say_rest(len(traces))
    return reports


def _contents(report: Report) -> str:
    launches = len(report.traces[0].launches)
    if not launches:
        return "no Triton launches"
    device = report.device.device
    sourced = sum(len(row.launches) for row in report.rows if row.metadata.source)
    return (
        f"{counted(launches, 'Triton launch')} on {(device.name if device else '') or 'an unknown device'};"
        f" bytes for {_part(report.modelled_launches, launches)}, source for {_part(sourced, launches)}"
    )


def _part(number: int, total: int) -> str:
    return part_of(number, total, "launch") if number else "none"


def _say_sources(sources: Sequence[Path], workspace: Path) -> None:
    print(f"  {counted(len(sources), 'generated file')}")
    for path in sources[:_MAX_LISTED]:
        print(f"    {path.relative_to(workspace)} ({wording.megabytes(path.stat().st_size)})")
    _say_rest(len(sources))


def _say_rest(total: int) -> None:
    if total > _MAX_LISTED:
        print(f"    and {total - _MAX_LISTED:,} more")


def _missing(found: Found, cached: int, reports: Sequence[Report]) -> Iterator[str]:
    if not found.traces:
        yield (
            "a trace: record one with torch.profiler.profile(record_shapes=True), export it with"
            " export_chrome_trace('trace.json.gz'), and open it or list it in inductorLens.traces"
        )
    if not cached and not found.sources:
        yield (
            "Inductor's generated files: set inductorLens.inductorCacheDirs (or TORCHINDUCTOR_CACHE_DIR), or run"
            " the model with TORCH_COMPILE_DEBUG=1 and open the output_code.py it writes"
        )
    with_launches = [report for report in reports if report.rows]
    if with_launches and not any(report.device.peak_source for report in with_launches):
        yield "a device's peak: no trace tells one that is known; set inductorLens.device or peakBandwidth"
