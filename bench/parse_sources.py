"""Reading generated files against Python's own `ast.parse` of the same texts, in one run.

    python bench/parse_sources.py [corpus folder]

Prints, for each PyTorch version in the folder (tests/corpus without an argument), the ratio of the two times: when
every text is new, and when the kernels were read before (a wrapper edited in the editor). Then how the time grows
with a wrapper's number of kernels: linear growth is 1.
"""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from perfcore.inductor import kernel_source, read_inductor_file  # noqa: E402

ROUNDS = 3
WRAPPER = "tests/corpus/2.13.0/transformer_block_bf16/output_code.py"


HOSTILE = {
    "words without end": "a",
    "calls without end": "    triton_k.run(\n",
    "kernels without end": "k = async_compile.triton('k', '''\n",
    "kernels in one line": "async_compile.triton(",
    "escaped quotes": "k = async_compile.triton('k', '''" + "\\'''" * 1000,
    "comments without end": "# File: => %a : Source Nodes: [",
    "inputs in one line": "    a = rand_strided(",
    "nested views": "    a = reinterpret_tensor(",
}


def seconds(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """The fastest of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        before()
        gc.collect()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def forget() -> None:
    kernel_source._read_head.cache_clear()  # the one thing that is remembered between files


def read_all(texts: list[tuple[str, str]]) -> int:
    return sum(len(read_inductor_file(path, text).kernels) for path, text in texts)


def wrapper_of(copies: int) -> str:
    """The transformer block's wrapper with its kernels and calls repeated under other names."""
    text = (ROOT / WRAPPER).read_text()
    kernels, calls, rest = (
        text.index(part) for part in ("# kernel path", "            arg0_1 = copy", "        return (")
    )
    waits = text.index("async_compile.wait")
    renamed = [lambda part, n=n: part.replace("_fused", f"_fused_{n}") for n in range(copies)]
    return (
        text[:kernels]
        + "".join(rename(text[kernels:waits]) for rename in renamed)
        + text[waits:calls]
        + "".join(rename(text[calls:rest]) for rename in renamed)
        + text[rest:]
    )


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/corpus"
    for version in sorted(path for path in corpus.iterdir() if path.is_dir()):
        texts = [(str(path), path.read_text()) for path in sorted(version.rglob("*.py"))]
        parse = seconds(lambda texts=texts: [ast.parse(text) for _, text in texts])
        cold = seconds(lambda texts=texts: read_all(texts), forget)
        warm = seconds(lambda texts=texts: read_all(texts))
        print(
            f"{version.name:8}{len(texts):5} files  new {cold / parse:.2f}  read before {warm / parse:.2f}  of ast.parse"
        )
    few, many = wrapper_of(100), wrapper_of(800)
    assert len(read_inductor_file("", many).kernels) == 3200
    growth = seconds(lambda: read_inductor_file("", many), forget) / seconds(
        lambda: read_inductor_file("", few), forget
    )
    print(
        f"3,200 kernels in a wrapper of {len(many) / 1e6:.0f} MB: {growth / (len(many) / len(few)):.2f} of linear growth"
    )

    for name, part in HOSTILE.items():
        short, long = (
            f"async_compile = AsyncCompile()\n{part * (count // len(part))}" for count in (200_000, 1_600_000)
        )
        growth = seconds(lambda text=long: read_inductor_file("", text)) / seconds(
            lambda text=short: read_inductor_file("", text)
        )
        print(f"{name:24}{growth / 8:5.2f} of linear growth")


if __name__ == "__main__":
    main()
