"""`kernels.json`: what torch itself said of each kernel in the corpus while it generated the text beside it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
WHOLE_CORPUS = Path(__file__).parents[2] / "shared" / "corpus"


@dataclass(frozen=True)
class Row:
    """One kernel. `wrapper` and `single` are the files in which its text stands."""

    model: Path
    facts: dict[str, Any]

    @property
    def wrapper(self) -> Path:
        return self.model / self.facts["wrapper_file"]

    @property
    def single(self) -> Path:
        return self.model / "cache" / self.facts["kernel_file"]

    @property
    def size_hints(self) -> Any:
        hints = self.facts.get("size_hints")
        return ast.literal_eval(hints) if isinstance(hints, str) else hints

    def __str__(self) -> str:
        return f"{self.model.parent.name}/{self.model.name}: {self.facts['name']}"


def versions(corpus: Path) -> list[str]:
    return sorted(folder.name for folder in corpus.iterdir() if folder.is_dir())


def rows(corpus: Path, version: str) -> Iterator[Row]:
    """The kernels of one PyTorch version. With unique names off, torch recorded the names and files only."""
    for kernels in sorted((corpus / version).rglob("kernels.json")):
        for facts in json.loads(kernels.read_text()):
            yield Row(kernels.parent, facts)
