"""Neovim as a second client: it pulls nothing, refreshes nothing and watches no files, and still shows it all."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.raw_client import COMMAND, ROOT, environment

KERNEL = "triton_poi_fused__unsafe_view_mul_silu_2"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What Neovim showed of the example."""
    nvim = shutil.which("nvim")
    if nvim is None:
        pytest.skip("nvim is not installed (Debian: apt-get install neovim)")
    folder = tmp_path_factory.mktemp("nvim")
    workspace, result = folder / "workspace", folder / "result.json"
    shutil.copytree(ROOT / "examples" / "transformer_block", workspace)
    readme = folder / "readme.lua"
    lua = re.search(r"^-- what running a lens does.*?(?=^```)", (ROOT / "README.md").read_text(), re.S | re.M)
    assert lua is not None
    readme.write_text(lua[0])
    settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
    env = environment(
        LENS_WORKSPACE=str(workspace),
        LENS_COMMAND=json.dumps(COMMAND),
        LENS_SETTINGS=json.dumps(settings),
        LENS_README=str(readme),
        LENS_RESULT=str(result),
        XDG_STATE_HOME=str(folder),
        XDG_CACHE_HOME=str(folder),
        XDG_DATA_HOME=str(folder),
    )
    script = Path(__file__).parent / "nvim.lua"
    command = [nvim, "--clean", "--headless", "-n", "-i", "NONE", "-c", f"luafile {script}"]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert result.exists(), run.stderr
    found: dict[str, object] = json.loads(result.read_text())
    assert "problem" not in found, found["problem"]
    return found


def test_the_lenses(seen: dict[str, object]) -> None:
    assert seen["lenses"] == [
        [58, "3.38 TB/s · 64 % of peak · 256 MB · 0.470 GFLOP · 79.4 µs × 1"],
        [145, "4.32 TB/s · 82 % of peak · 384 MB · 0.470 GFLOP · 93.2 µs × 1"],
        [231, "3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1"],
        [284, "3.81 TB/s · 72 % of peak · 512 MB · 0.067 GFLOP · 140.9 µs × 1"],
    ]


def test_a_lens_lists_the_launches(seen: dict[str, object]) -> None:
    """By the few lines of the README."""
    assert seen["launches"] == [1, "trace.json", 76]


def test_the_diagnostic(seen: dict[str, object]) -> None:
    message = f"{KERNEL} moves 3.19 TB/s, 60 % of its peak of 5.3 TB/s: 201.4 of 505.3 µs are recoverable over 1 launch."
    assert seen["diagnostics"] == [[248, 4, 2, message]]


@pytest.mark.parametrize("where", ["hover", "hover_in_trace"])
def test_the_hover(seen: dict[str, object], where: str) -> None:
    text = "\n".join(seen[where])  # type: ignore[arg-type]
    for figure in (
        "505.3 µs × 1",
        "1,536 MB",
        "3.19 TB/s · 60 % of 5.3 TB/s",
        "1.342 GFLOP",
        "0.833 FLOP/byte",
    ):
        assert re.search(re.escape(figure), text), text


def test_definitions(seen: dict[str, object]) -> None:
    assert seen["definition_of_a_call"] == ["output_code.py", 248, KERNEL]
    own_file = "c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py"
    assert seen["definition_of_a_launch"] == [own_file, 18, KERNEL]
