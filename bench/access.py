"""The exact tier against Python's own `ast.parse` of the same kernels' texts, in one run.

    python bench/access.py [corpus folder]

Prints, for each PyTorch version in the folder (tests/corpus without an argument), the time of finding the accesses and
of counting them, as ratios to parsing. Then how the time of a count grows with the numel: it should not.
"""

from __future__ import annotations

import ast
import gc
import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from perfcore.inductor import KernelSource, read_inductor_file  # noqa: E402
from perfcore.inductor.access import Accesses, analyse, moved  # noqa: E402

ROUNDS = 5
SCALARS = dict.fromkeys((f"ks{i}" for i in range(8)), 64)
remembered = importlib.import_module("perfcore.inductor.access.analyse")._analyse


def seconds(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """The fastest of some rounds, in processor time: the machine may be shared."""
    best = float("inf")
    for _ in range(ROUNDS):
        before()
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def kernels(version: Path) -> list[KernelSource]:
    found = {}
    for path in sorted(version.glob("*/cache/*/*.py")):
        for kernel in read_inductor_file(str(path), path.read_text()).kernels:
            found.setdefault(kernel.text, kernel)
    return list(found.values())


def numels(kernel: KernelSource, factor: int = 1) -> dict[str, int]:
    return {prefix: factor * size for prefix, size in (*kernel.size_hints, *kernel.numels)}


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/corpus"
    for version in sorted(path for path in corpus.iterdir() if path.is_dir()):
        several = kernels(version)
        read = [(accesses, kernel) for kernel in several if isinstance(accesses := analyse(kernel), Accesses)]
        parse = seconds(lambda several=several: [ast.parse(kernel.text) for kernel in several])
        find = seconds(
            lambda several=several: [analyse(kernel) for kernel in several], remembered.cache_clear
        )
        count, larger = (
            seconds(lambda read=read, by=by: [moved(a, numels(k, by), scalars=SCALARS) for a, k in read])
            for by in (1, 1 << 10)
        )
        print(
            f"{version.name:8}{len(several):5} kernels  find {find / parse:.2f}  count {count / parse:.2f}"
            f"  both {(find + count) / parse:.2f} of ast.parse  1024 × the numels {larger / count:.2f}"
        )


if __name__ == "__main__":
    main()
