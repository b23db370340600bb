"""`inductor-lens doctor`: versions, search paths, what was found, what is missing."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from inductor_lens import wording
from perfcore.inductor.cache import SourceIndex, cache_directories, looks_like_inductor
from perfcore.trace.stored import StoredTrace

_PACKAGES = ("inductor-lens", "pygls", "lsprotocol", "orjson", "msgspec", "isal", "rich")
_TRACE_NAMES = (".pt.trace.json", ".json", ".json.gz")
_SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", "site-packages"})
_MAX_FILES = 20_000
_HEAD_BYTES = 65_536


def run(options: argparse.Namespace) -> int:
    """Exit status 0 when a workspace has a trace and a source, 1 when something is missing, 2 without a folder."""
    workspace: Path = options.workspace
    if not workspace.is_dir():
        print(f"error: {workspace} is no folder", file=sys.stderr)
        return 2
    _say_versions()
    sources = _say_search_paths(options.inductor_cache_dir)
    traces, wrappers, complete = _find(workspace)
    print(f"\nWorkspace {workspace.resolve()}" + ("" if complete else f" (the first {_MAX_FILES:,} files)"))
    _say_found("trace", traces, workspace)
    _say_found("generated file", wrappers, workspace)
    missing = list(_missing(bool(traces), bool(sources or wrappers)))
    print("\nMissing" if missing else "\nNothing is missing.")
    for line in missing:
        print(f"  {line}")
    return 1 if missing else 0


def _say_versions() -> None:
    print(f"Python {platform.python_version()} at {sys.executable} on {platform.platform()}")
    for package in _PACKAGES:
        try:
            print(f"  {package} {version(package)}")
        except PackageNotFoundError:
            print(f"  {package} is not installed")


def _say_search_paths(explicit: list[Path]) -> int:
    """Prints where sources are looked for, and returns how many kernels lie there."""
    print("\nInductor sources are looked for in")
    total = 0
    given = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    print(f"  (TORCHINDUCTOR_CACHE_DIR is {given if given else 'not set'})")
    for directory in cache_directories(explicit):
        if not directory.is_dir():
            print(f"  {directory}: not there")
            continue
        index = SourceIndex()
        index.add_directory(directory)
        kernels = sum(len(file.kernels) for file in index.files())
        total += kernels
        print(f"  {directory}: {wording.count(kernels, 'kernel')}")
    return total


def _find(workspace: Path) -> tuple[list[Path], list[Path], bool]:
    """Traces and generated files below a folder, and whether all files were looked at."""
    traces: list[Path] = []
    wrappers: list[Path] = []
    for count, path in enumerate(_files(workspace)):
        if count >= _MAX_FILES:
            return traces, wrappers, False
        if path.name.endswith(_TRACE_NAMES) and b'"traceEvents"' in _head(path):
            traces.append(path)
        elif path.suffix == ".py" and looks_like_inductor(_head(path).decode("utf-8", "replace")):
            wrappers.append(path)
    return traces, wrappers, True


def _files(workspace: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(workspace):
        folders[:] = sorted(set(folders) - _SKIPPED)
        yield from (Path(folder, name) for name in sorted(files))


def _head(path: Path) -> bytes:
    """The first bytes of a file's text, gz or not; nothing where it cannot be read."""
    try:
        stored = StoredTrace(str(path))
    except OSError:
        return b""
    try:
        return stored.read()[:_HEAD_BYTES]
    except OSError:
        return b""
    finally:
        stored.close()


def _say_found(noun: str, paths: list[Path], workspace: Path) -> None:
    print(f"  {wording.count(len(paths), noun)}")
    for path in paths[:10]:
        print(f"    {path.relative_to(workspace)} ({wording.megabytes(path.stat().st_size)})")
    if len(paths) > 10:
        print(f"    and {len(paths) - 10:,} more")


def _missing(traces: bool, sources: bool) -> Iterator[str]:
    if not traces:
        yield (
            "a trace: record one with torch.profiler.profile(record_shapes=True), export it with"
            " export_chrome_trace('trace.json.gz'), and open it or list it in inductorLens.traces"
        )
    if not sources:
        yield (
            "Inductor's generated files: set inductorLens.inductorCacheDirs (or TORCHINDUCTOR_CACHE_DIR), or run"
            " the model with TORCH_COMPILE_DEBUG=1 and open the output_code.py it writes"
        )
