"""What a wrapper of thousands of kernels costs: its first lenses against the whole of it, and hovers elsewhere meanwhile.

    python bench/big_wrapper.py [kernels]

Opens the wrapper in the server, and prints when the lenses came, when all of it was read, and how long hovers in
another document took from the opening until then, with those of a quiet server beside them.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.server.made_inputs import EXAMPLE, wrapper_of_kernels  # noqa: E402
from tests.server.raw_client import RawClient  # noqa: E402

BIG, SMALL = "file:///bench/big.py", "file:///bench/small.py"
SCREEN = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}
QUIET_HOVERS = 200


def main() -> None:
    text, names = wrapper_of_kernels(int(sys.argv[1]) if len(sys.argv) > 1 else 4_800)
    with RawClient() as client:
        client.initialize()
        client.open(SMALL, (EXAMPLE / "output_code.py").read_text())
        lens = client.request("textDocument/codeLens", _of(SMALL))[0]
        at = {"line": lens["range"]["start"]["line"], "character": 3}
        quiet = [_hover_ms(client, at) for _ in range(QUIET_HOVERS)]

        began = time.perf_counter()
        client.open(BIG, text)
        lenses = client.begin("textDocument/codeLens", _of(BIG))
        whole = client.begin("textDocument/inlayHint", _of(BIG, range=SCREEN))
        came: dict[int, float] = {}
        busy: list[float] = []
        while len(came) < 2:
            busy.append(_hover_ms(client, at))
            for identity in (lenses, whole):
                if identity in client.answered:
                    came.setdefault(identity, time.perf_counter() - began)
            time.sleep(0.01)
        client.leave()
    print(f"{len(names):,} kernels, {len(text) / 1e6:.0f} MB")
    print(f"  first lenses    {came[lenses]:6.2f} s, {came[lenses] / came[whole]:.2f} of the whole")
    print(f"  the whole       {came[whole]:6.2f} s")
    print(f"  hover elsewhere {_words(busy)}; quiet {_words(quiet)}")


def _of(uri: str, **rest: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, **rest}


def _hover_ms(client: RawClient, at: dict[str, int]) -> float:
    began = time.perf_counter()
    client.request("textDocument/hover", _of(SMALL, position=at))
    return 1e3 * (time.perf_counter() - began)


def _words(times_ms: list[float]) -> str:
    return f"{statistics.median(times_ms):.1f} ms, 95 % {statistics.quantiles(times_ms, n=20)[-1]:.1f} ms"


if __name__ == "__main__":
    main()
