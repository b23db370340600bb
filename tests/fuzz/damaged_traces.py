"""Damage sound traces at random places and read them: `python tests/fuzz/damaged_traces.py [CASES] [FIRST_SEED]`.

No case may raise, hang, or change an event that the damage does not touch. Prints the seeds that do.
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from perfcore.trace import chunks, stored  # noqa: E402
from tests.perfcore.trace.damaging import check_damaged, random_edits, sound_trace  # noqa: E402

SLOW_SECONDS = 2.0


def run_case(seed: int) -> float:
    """One case; every other one with blocks so small that events straddle them. Returns its seconds."""
    random = Random(seed)
    stored.BLOCK = chunks.BLOCK = 256 * 1024 if seed % 2 else random.choice([64, 300, 1000])
    trace = sound_trace(random)
    edits = random_edits(random, trace.text)
    start = time.perf_counter()
    check_damaged(trace, edits)
    return time.perf_counter() - start


def main(cases: int = 10_000, first_seed: int = 0) -> int:
    failed = 0
    slowest = 0.0
    for seed in range(first_seed, first_seed + cases):
        try:
            seconds = run_case(seed)
        except Exception:
            failed += 1
            print(f"seed {seed}:", traceback.format_exc(limit=-2).strip().splitlines()[-1][:300])
            continue
        slowest = max(slowest, seconds)
        if seconds > SLOW_SECONDS:
            failed += 1
            print(f"seed {seed}: took {seconds:.1f} s")
    print(f"{cases} cases, {failed} failed, the slowest took {slowest * 1000:.0f} ms")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
