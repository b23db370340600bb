"""Rows as a terminal table, Markdown or CSV. Every format has the same columns."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inductor_lens import wording

WIDTH_OF_NO_TERMINAL = 10_000
"""Wide enough for every column, where a pipe or a file has no width of its own."""

_NARROWEST = 36
"""Characters that a column of words keeps while others are left out for it."""

_GAP = 2


@dataclass(frozen=True, slots=True)
class Sheet:
    """A header and its rows; all cells are text. `words` are columns that may be folded, after an underscore or a
    slash; the others hold numbers, except those in `left`. `dispensable` columns are left out, the first first, where
    a terminal is too narrow. `styles` are the looks of single cells on a terminal, by (row, column)."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dispensable: tuple[str, ...] = ()
    words: frozenset[str] = frozenset({"kernel", "where", "slowest"})
    left: frozenset[str] = frozenset({"origin", "category"})
    styles: Mapping[tuple[int, str], str] = field(default_factory=dict)


def print_table(sheet: Sheet, title: Sequence[str], footer: Sequence[str] = ()) -> None:
    """A table as wide as the terminal needs and has room for. A name is folded, and never loses its end."""
    on_terminal = sys.stdout.isatty()
    console = Console(width=None if on_terminal else WIDTH_OF_NO_TERMINAL, highlight=False)
    sheet = _fitting(sheet, console.width)
    for line in title:
        console.print(Text(line, style="bold"))
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    widths = _widths(sheet, console.width)
    for column, width in zip(sheet.header, widths, strict=True):
        table.add_column(
            _stacked(column) if on_terminal else column,
            justify="left" if column in sheet.words | sheet.left else "right",
            no_wrap=True,
            width=width,
        )
    table.add_row(*("─" * width for width in widths), style="dim")
    for number, row in enumerate(sheet.rows):
        table.add_row(
            *(
                Text(_folded(cell, width), style=sheet.styles.get((number, column), ""))
                for cell, width, column in zip(row, widths, sheet.header, strict=True)
            )
        )
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        print(line.rstrip())
    for number, line in enumerate(footer):
        console.print(Text(line) if number else Text(f"\n{line}"))


def _fitting(sheet: Sheet, width: int) -> Sheet:
    """The sheet without the columns that have no room."""
    for column in sheet.dispensable:
        if sum(_narrowest(sheet)) + _GAP * (len(sheet.header) - 1) <= width:
            break
        at = sheet.header.index(column)
        rows = tuple(row[:at] + row[at + 1 :] for row in sheet.rows)
        sheet = replace(sheet, header=sheet.header[:at] + sheet.header[at + 1 :], rows=rows)
    return sheet


def _natural(sheet: Sheet) -> list[int]:
    """Each column's width where nothing is folded but the header, onto two lines."""
    return [
        max(*(len(line) for line in _stacked(name).split("\n")), *(len(row[at]) for row in sheet.rows), 1)
        for at, name in enumerate(sheet.header)
    ]


def _narrowest(sheet: Sheet) -> list[int]:
    return [
        min(width, _NARROWEST) if name in sheet.words else width
        for name, width in zip(sheet.header, _natural(sheet), strict=True)
    ]


def _widths(sheet: Sheet, width: int) -> list[int]:
    """What each column gets: columns of words share what the others leave."""
    natural = _natural(sheet) if width < WIDTH_OF_NO_TERMINAL else _of_one_line(sheet)
    words = [at for at, name in enumerate(sheet.header) if name in sheet.words]
    left = width - _GAP * (len(natural) - 1) - sum(w for at, w in enumerate(natural) if at not in words)
    for number, at in enumerate(sorted(words, key=lambda at: natural[at])):
        share = max(8, left // (len(words) - number))
        natural[at] = min(natural[at], share)
        left -= natural[at]
    return natural


def _of_one_line(sheet: Sheet) -> list[int]:
    return [max(width, len(name)) for width, name in zip(_natural(sheet), sheet.header, strict=True)]


def _stacked(name: str) -> str:
    """A header on two lines: `median µs` above each other."""
    head, space, unit = name.rpartition(" ")
    return f"{head}\n{unit}" if space else name


def _folded(text: str, width: int) -> str:
    """The text on lines of at most `width` characters, broken after an underscore or a slash where there is one; what
    goes on is indented."""
    lines: list[str] = []
    while len(text) > width:
        at = max(text.rfind(sign, 0, width) for sign in "_/") + 1
        at = at if at > width // 3 else width
        lines.append(text[:at])
        text = "  " + text[at:]
    return "\n".join([*lines, text])


def print_markdown(sheet: Sheet) -> None:
    """A GitHub table."""
    words = sheet.words | sheet.left
    print("| " + " | ".join(sheet.header) + " |")
    print("|" + "|".join(" --- " if column in words else " ---: " for column in sheet.header) + "|")
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
