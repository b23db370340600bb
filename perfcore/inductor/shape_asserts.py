"""What a wrapper asserts of its buffers' shapes, statement by statement.

Sources: torch/_inductor/codegen/wrapper.py: `assert_size_stride(buf0, (8, 2048), (2048, 1), …)` since PyTorch 2.0; since
2.14 `assert_size_stride_grouped((a, b), ((8, ), (s0, 2)), ((1, ), (2, 1)), 'input')` for several at once and
`assert_tensor_metadata(buf0, (8, ), (1, ), torch.float32, 'op')` for what a library call returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perfcore.inductor.brackets import split_items

ASSERTION = re.compile(r"assert_(?:size_stride(?P<grouped>_grouped)?|tensor_metadata)\(")
_SUBJECTS = re.compile(ASSERTION.pattern + r"\(?(?P<names>[\w, \t]+)")


def asserted_shapes(grouped: bool, parts: list[str]) -> Iterator[tuple[str, str, str, str | None]]:
    """(name, sizes, strides, dtype) of each buffer, from the texts of an assertion's arguments."""
    if len(parts) < 3:
        return
    if grouped:
        yield from (
            (name, size, stride, None)
            for name, size, stride in zip(*map(split_items, parts[:3]), strict=False)
        )
    else:
        dtype = next((part for part in parts[3:4] if part.startswith("torch.")), None)
        yield parts[0], parts[1], parts[2], dtype


def asserted_names(text: str) -> frozenset[str]:
    """Every name that some assertion in the text is about."""
    return frozenset(
        name
        for found in _SUBJECTS.finditer(text)
        for name in map(str.strip, found["names"].split(",")[: None if found["grouped"] else 1])
    )
