"""docs/rules.md explains every code that the program can say, and a diagnostic's link leads to its page, also where
the program was installed from its wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from inductor_lens.rules import rule_uri

ROOT = Path(__file__).parents[1]
CODE = re.compile(
    r"""\b(?P<what>Problem|_?[Nn]ote|Finding|_of_note)\(\s*(?:row, )?(?:code=)?"(?P<code>[a-z][a-z0-9-]+)\""""
)
PAGES = dict(
    re.findall(
        r"^### ([a-z0-9-]+)\n(.*?)(?=^##|\Z)", (ROOT / "docs/rules.md").read_text("utf-8"), re.M | re.S
    )
)
PARTS = ("**What** ", "**Why** ", "**Example** `", "**What to do** ")


def said(*kinds: str) -> set[str]:
    """The codes that the program's modules say."""
    sources = [*(ROOT / "perfcore").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
    found = (match for path in sources for match in CODE.finditer(path.read_text("utf-8")))
    return {match["code"] for match in found if not kinds or match["what"] in kinds}


DURATIONS = {"no-duration", "zero-duration", "negative-duration", "unbelievable-duration"}
DIAGNOSED = said("Problem", "Finding", "_of_note") | DURATIONS


def test_every_code_has_its_page() -> None:
    assert len(said()) > 40
    assert said() - PAGES.keys() == set()


@pytest.mark.parametrize("code", sorted(DIAGNOSED))
def test_a_diagnostics_page_says_what_why_an_example_and_what_to_do(code: str) -> None:
    page = PAGES[code]
    assert [part for part in PARTS if f"\n{part}" not in f"\n{page}"] == []


@pytest.mark.parametrize("code", sorted(DIAGNOSED))
def test_a_diagnostics_link_leads_to_its_page(code: str) -> None:
    place, _, heading = rule_uri(code).partition("#")
    assert f"\n### {heading}\n" in Path(place.removeprefix("file://")).read_text("utf-8")
    assert heading == code


def test_the_wheel_carries_the_page_where_an_installed_server_looks_for_it(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    pytest.importorskip("hatchling", reason="needs the build backend, hatchling")
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(tmp_path / made.stdout.split()[-1]) as wheel:
        wheel.extractall(tmp_path / "site")
    ask = "from inductor_lens.rules import rule_uri; print(rule_uri('low-bandwidth'))"
    run = [sys.executable, "-c", ask]
    uri = subprocess.run(
        run, cwd=tmp_path / "site", capture_output=True, text=True, check=False
    ).stdout.strip()
    assert uri == (tmp_path / "site" / "inductor_lens" / "rules.md").as_uri() + "#low-bandwidth"
    installed = (tmp_path / "site" / "inductor_lens" / "rules.md").read_bytes()
    assert installed == (ROOT / "docs" / "rules.md").read_bytes()
