"""Some of the conversations that `tests/fuzz/lsp_messages.py` has without end."""

from __future__ import annotations

import pytest

from .random_messages import converse


@pytest.mark.parametrize("seed", range(3))
def test_a_random_conversation(seed: int) -> None:
    converse(seed, 600)
