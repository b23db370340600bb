"""Have random conversations with the server: `python tests/fuzz/lsp_messages.py [SECONDS] [FIRST_SEED] [MESSAGES]`.

Each seed is one server and one conversation. Prints the seeds after which something did not hold.
"""

from __future__ import annotations

import sys
import time
import traceback
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.server.random_messages import converse  # noqa: E402


def main(seconds: int = 60, first_seed: int = 0, messages: int = 2_000) -> int:
    end = time.monotonic() + seconds
    failed = done = 0
    for seed in count(first_seed):
        if time.monotonic() > end:
            break
        done += 1
        try:
            converse(seed, messages)
        except Exception:
            failed += 1
            print(f"seed {seed}:", traceback.format_exc(limit=-2).strip()[-2000:], flush=True)
    print(f"{done} conversations of {messages} messages, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
