"""What the events of a category are to a launch."""

from __future__ import annotations

DROPPED, OP, KERNEL, CALL = 0, 1, 2, 3
BY_PROCESS = -1
"""Without a category, the process says: torch/autograd/profiler_util.py wrote so in PyTorch 1.x."""


class Categories(dict[str, int]):
    """Category → what its events are to a launch, learned as categories appear. Names are those of
    libkineto/include/ActivityType.h; PyTorch 1.8 wrote `Operator`, `Kernel` and `Runtime`."""

    def __missing__(self, category: str) -> int:
        words = category.split(",")
        if category == "":
            kind = BY_PROCESS
        elif "cpu_op" in words or "Operator" in words:
            kind = OP
        elif "kernel" in words or "Kernel" in words:
            kind = KERNEL
        elif "Runtime" in words or any(word.endswith(("_runtime", "_driver")) for word in words):
            kind = CALL
        else:
            kind = DROPPED
        self[category] = kind
        return kind
