"""Emacs with eglot as a third client: settings by workspace/configuration, diagnostics pushed, plain text, no lenses."""

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
    """What Emacs showed of the example."""
    emacs = shutil.which("emacs")
    if emacs is None:
        pytest.skip("emacs is not installed (Debian: apt-get install emacs-nox elpa-eglot)")
    has_eglot = [emacs, "--batch", "-q", "--eval", '(kill-emacs (if (locate-library "eglot") 0 1))']
    if subprocess.run(has_eglot, capture_output=True, check=False, timeout=120).returncode != 0:
        pytest.skip("emacs has no eglot (Debian: apt-get install elpa-eglot; built in from Emacs 29)")
    folder = tmp_path_factory.mktemp("emacs")
    workspace, result = folder / "workspace", folder / "result.json"
    shutil.copytree(ROOT / "examples" / "transformer_block", workspace)
    settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
    env = environment(
        LENS_WORKSPACE=str(workspace),
        LENS_COMMAND=json.dumps(COMMAND),
        LENS_SETTINGS=json.dumps(settings),
        LENS_RESULT=str(result),
    )
    command = [emacs, "--batch", "-q", "-l", str(Path(__file__).parent / "emacs.el")]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=180, check=False)
    assert result.exists(), run.stderr
    found: dict[str, object] = json.loads(result.read_text())
    assert "problem" not in found, (found["problem"], run.stderr)
    return found


def test_the_diagnostic(seen: dict[str, object]) -> None:
    message = f"{KERNEL} moves 3.19 TB/s, 60 % of its peak of 5.3 TB/s: 201.4 of 505.3 µs are recoverable over 1 launch."
    (found,) = seen["diagnostics"]  # type: ignore[misc]
    line, kind, text = found
    assert (line, kind) == (248, "eglot-warning")
    assert message in text
    assert "low-bandwidth" in text


@pytest.mark.parametrize("where", ["hover", "hover_in_trace"])
def test_the_hover(seen: dict[str, object], where: str) -> None:
    text = str(seen[where])
    for figure in (
        "505.3 µs × 1",
        "1,536 MB",
        "3.19 TB/s · 60 % of 5.3 TB/s",
        "1.342 GFLOP",
        "0.833 FLOP/byte",
    ):
        assert re.search(re.escape(figure), text), text


def test_definitions(seen: dict[str, object]) -> None:
    assert seen["definitions_of_a_call"] == [["output_code.py", 248, KERNEL]]
    own_file = "c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py"
    assert seen["definitions_of_a_launch"] == [[own_file, 18, KERNEL], ["output_code.py", 248, KERNEL]]


def test_the_kernels_in_the_index(seen: dict[str, object]) -> None:
    assert KERNEL in seen["index"]  # type: ignore[operator]


def test_it_leaves_properly(seen: dict[str, object]) -> None:
    assert seen["left"] is True
