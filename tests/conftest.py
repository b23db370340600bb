"""What every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real traces and peer figures that may not be copied into the project."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the recordings in {SHARED}, which are not part of the project")
    return SHARED
