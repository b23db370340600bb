"""Fills wheels/: the server's own wheel, and what it depends on for this platform and each supported Python.

A .vsix that carries these can make its private environment without a network. On another platform, or with a
Python that is not listed, the extension asks the package index for the dependencies instead.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WHEELS = HERE / "wheels"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
ONLY_SOME = ("exceptiongroup",)
"""What cattrs needs before Python 3.11: pip reads such conditions for the Python that it runs in, not the one asked for."""


def pip(*arguments: str | Path) -> bool:
    command = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", *map(str, arguments)]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    shutil.rmtree(WHEELS, ignore_errors=True)
    if not pip("wheel", "--no-deps", "--wheel-dir", WHEELS, HERE.parent):
        return 1
    (own,) = WHEELS.glob("inductor_lens-*.whl")
    for python in PYTHONS:
        # Platform tags are this machine's unless --platform says otherwise: see `pip download --help`.
        wanted = ("--only-binary", ":all:", "--python-version", python, *sys.argv[1:])
        found = pip("download", *wanted, "--dest", WHEELS, own, *ONLY_SOME)
        if not found:
            print(f"No complete set of wheels for Python {python}: the extension will ask the index there.")
    size = sum(wheel.stat().st_size for wheel in WHEELS.glob("*.whl"))
    print(f"{WHEELS.relative_to(HERE.parent)}: {len(list(WHEELS.glob('*.whl')))} wheels, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
