"""Small files that unpack to huge or hostile text end with one clear message, in bounded memory and time.

All are read in one process that may not use more memory than an editor would forgive.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MEMORY = 400 * 2**20
SECONDS = 120.0
GOOD = b'{"ph": "X", "cat": "kernel", "name": "triton_poi_fused_add_0", "ts": 1, "dur": 9.25}'
M = 1_000_000

# Each bomb: pieces of text and how often they are repeated; whether GOOD must be found; what must be said.
BOMBS: dict[str, tuple[list[tuple[bytes, int]], bool, str | None]] = {
    "zeros": ([(b"\0", 150 * M)], False, "not-a-trace"),
    "white space": ([(b" ", 150 * M)], False, "not-a-trace"),
    "open brackets": ([(b"[", 10 * M)], False, "not-a-trace"),
    "a nest of brackets": ([(b"[", 3 * M), (b"]", 3 * M)], False, "not-a-trace"),
    "a nest of objects": ([(b'{"a":', 3 * M)], False, "not-a-trace"),
    "a nest in an event": (
        [(b'{"traceEvents": [{"ph": "X", "args": ', 1), (b"[", M), (b"]", M), (b"}, ", 1), (GOOD, 1), (b"]}", 1)],
        True,
        "trace-damaged",
    ),
    "a nest in the header": (
        [(b'{"x": ', 1), (b"[", 3 * M), (b"]", 3 * M), (b', "traceEvents": [', 1), (GOOD, 1), (b"]}", 1)],
        True,
        None,
    ),
    "a string of 100 MB": (
        [(b'{"traceEvents": [{"ph": "X", "name": "', 1), (b"A", 100 * M), (b'"}, ', 1), (GOOD, 1), (b"]}", 1)],
        True,
        "trace-damaged",
    ),
    "a string without end": ([(b'{"traceEvents": [{"ph": "X", "name": "', 1), (b"A", 150 * M)], False, "trace-damaged"),
    "a key of 100 MB": (
        [(b'{"', 1), (b"A", 100 * M), (b'": 1, "traceEvents": [', 1), (GOOD, 1), (b"]}", 1)],
        True,
        "trace-damaged",
    ),
    "a number of 100 M digits": (
        [(b'{"traceEvents": [{"ph": "X", "ts": ', 1), (b"1", 100 * M), (b"}, ", 1), (GOOD, 1), (b"]}", 1)],
        True,
        "trace-damaged",
    ),
    "an id of 3 M digits": (
        [(b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "args": {"correlation": ', 1), (b"1", 3 * M),
         (b"}}, ", 1), (GOOD, 1), (b"]}", 1)],
        True,
        None,
    ),
    "backslashes": ([(b'["', 1), (b"\\", 50 * M)], False, "not-a-trace"),
    "illegal escapes": ([(b'{"traceEvents": [{"ph": "X", "name": "', 1), (b"\\q", 4 * M)], False, "trace-damaged"),
    "quotes": ([(b'"', 50 * M)], False, "not-a-trace"),
    "commas": ([(b"[", 1), (b",", 30 * M)], False, "not-a-trace"),
    "closed brackets": ([(b"[", 1), (b"]", 10 * M)], False, "not-a-trace"),
    "starts of events": ([(b'{"ph":"X","a":[', 2 * M)], False, "not-a-trace"),
    "empty objects": ([(b"[", 1), (b"{},", 3 * M), (b"{}]", 1)], False, "not-a-trace"),
}  # fmt: skip

READ = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from perfcore.trace import read_trace
for path in sys.argv[2:]:
    start = time.process_time()
    trace = read_trace(path)
    seconds = time.process_time() - start
    print(json.dumps([len(trace.launches), [problem.code for problem in trace.problems], seconds]), flush=True)
"""


def pack(pieces: Iterable[tuple[bytes, int]], path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for piece, times in pieces:
            many = max(1, min(times, M // len(piece)))
            for _ in range(times // many):
                file.write(piece * many)
            file.write(piece * (times % many))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, list[str], float]]:
    folder = tmp_path_factory.mktemp("bombs")
    paths = [folder / f"{number}.json.gz" for number in range(len(BOMBS))]
    for path, (pieces, _, _) in zip(paths, BOMBS.values(), strict=True):
        pack(pieces, path)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(MEMORY), *map(str, paths)],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=20 * SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(BOMBS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", BOMBS)
def test_it_ends_with_one_clear_message(name: str, outcomes: dict[str, tuple[int, list[str], float]]) -> None:
    launches, codes, seconds = outcomes[name]
    _, found, said = BOMBS[name]
    assert launches == found
    assert [code for code in codes if code in ("not-a-trace", "trace-damaged")] == ([said] if said else [])
    assert seconds < SECONDS


def test_a_bomb_can_be_cancelled(tmp_path: Path) -> None:
    from perfcore.trace import Cancelled, read_trace

    path = tmp_path / "spaces.json.gz"
    pack([(b" ", 100 * M)], path)
    start = time.process_time()
    polls = 0

    def cancelled() -> bool:
        nonlocal polls
        polls += 1
        return polls > 3

    with pytest.raises(Cancelled):
        read_trace(path, cancelled=cancelled)
    assert time.process_time() - start < 5
