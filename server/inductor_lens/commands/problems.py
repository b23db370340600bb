"""Problems to stderr, each once."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from inductor_lens.report_json import problem_line
from perfcore.problem import Problem


def say(problems: Iterable[Problem]) -> None:
    """One line a problem; the same line is not said twice."""
    for line in dict.fromkeys(problem_line(problem) for problem in problems):
        print(line, file=sys.stderr)
