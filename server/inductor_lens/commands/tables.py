"""Rows as a terminal table, Markdown or CSV. Every format shows the same columns."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inductor_lens import wording

WIDTH_OF_NO_TERMINAL = 240
"""Wide enough for every column, where a pipe or a file has no width of its own."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A header and its rows; all cells are text. `left` columns hold words, the others numbers. `dispensable`
    columns are left out, the first first, where a terminal is too narrow for all."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dispensable: tuple[str, ...] = ()
    left: frozenset[str] = frozenset({"kernel", "origin", "category", "ops", "where", "slowest"})


def print_table(sheet: Sheet, title: str, footer: Sequence[str] = ()) -> None:
    """A table as wide as the terminal; the kernel's name folds rather than loses its end."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH_OF_NO_TERMINAL, highlight=False)
    sheet = _fitting(sheet, console.width)
    console.print(Text(title, style="bold"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in sheet.header:
        left = column in sheet.left
        table.add_column(column, justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in sheet.rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
    for line in footer:
        console.print(Text(line))


def _fitting(sheet: Sheet, width: int) -> Sheet:
    """The sheet without the columns that have no room."""
    for column in sheet.dispensable:
        if _natural_width(sheet) <= width:
            break
        at = sheet.header.index(column)
        rows = tuple(row[:at] + row[at + 1 :] for row in sheet.rows)
        sheet = replace(sheet, header=sheet.header[:at] + sheet.header[at + 1 :], rows=rows)
    return sheet


def _natural_width(sheet: Sheet) -> int:
    lines = (sheet.header, *sheet.rows)
    return sum(max(len(line[i]) for line in lines) + 3 for i in range(len(sheet.header)))


def print_markdown(sheet: Sheet) -> None:
    """A GitHub table."""
    print("| " + " | ".join(sheet.header) + " |")
    print("|" + "|".join(" --- " if column in sheet.left else " ---: " for column in sheet.header) + "|")
    for row in sheet.rows:
        cells = [
            wording.markdown_code(cell) if i == 0 else wording.markdown(cell) for i, cell in enumerate(row)
        ]
        print("| " + " | ".join(cells) + " |")


def print_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Machine figures, not worded ones: full precision, empty where unknown."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    print(buffer.getvalue(), end="")
