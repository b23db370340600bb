"""Genuine kernels with a line or two changed at random: what is still analysed must still be right."""

from __future__ import annotations

import contextlib
import random
import re
from dataclasses import replace

import pytest

from perfcore.inductor import KernelSource
from perfcore.inductor.access import Accesses, analyse
from tests.ground_truth import CORPUS
from tests.perfcore.access.brute_force import NotFollowedError
from tests.perfcore.access.test_against_the_judge import VERSIONS, check, is_combo, kernels, sizes

VARIABLE = re.compile(r"\b(?:x|y|z|r0_|r1_|r)\d+\b")
SCAFFOLDING = re.compile(r"constexpr|offset|numel|arange|rsplit|split_size|roffset|rbase")
MUTANTS = 60


def mutant(text: str, name: str, choose: random.Random) -> str:
    """Other numbers, operators and variables in the lines that are not the loops' own scaffolding."""
    head, definition, body = text.partition(f"def {name}")
    lines = body.split("\n")
    variables = VARIABLE.findall(body) or ["xindex"]
    for _ in range(choose.choice([1, 1, 2, 3])):
        number = choose.randrange(1, len(lines))
        line = lines[number]
        if SCAFFOLDING.search(line):
            continue
        match choose.randrange(6):
            case 0:
                line = re.sub(
                    r"(?<![\w.])\d+(?![\w.])", lambda m: str(choose.randrange(1, 2 * int(m[0]) + 3)), line
                )
            case 1:
                line = line.replace("//", "%", 1) if choose.random() < 0.5 else line.replace(" % ", " // ", 1)
            case 2:
                line = VARIABLE.sub(lambda m: choose.choice([*variables, m[0]]), line)
            case 3:
                line = line.replace(" < ", " >= ", 1)
            case 4:
                line = line.replace(" & ", " | ", 1)
            case 5:
                line = line.replace(" + ", " - ", 1)
        lines[number] = line
    return head + definition + "\n".join(lines)


def mutants(version: str) -> list[tuple[KernelSource, int]]:
    choose = random.Random(version)
    whole = [kernel for kernel in kernels(CORPUS, version) if not is_combo(kernel)]
    found = []
    while len(found) < MUTANTS:
        kernel = choose.choice(whole)
        changed = replace(kernel, text=mutant(kernel.text, kernel.def_name, choose))
        if changed.text != kernel.text:
            found.append((changed, choose.randrange(3)))
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_a_mutants_figures_are_the_judges_or_bounds_that_hold(version: str) -> None:
    exact = 0
    for kernel, place in mutants(version):
        accesses = analyse(kernel)
        if isinstance(accesses, Accesses):
            with contextlib.suppress(NotFollowedError):
                exact += check(kernel, accesses, list(sizes(kernel))[place])[0]
    assert exact > 100
