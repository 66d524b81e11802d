"""Writes labels in the two languages of Graphviz, escaped so that Graphviz shows every text literally."""

import re
from html import escape
from typing import Final
from unicodedata import east_asian_width

from app.export.figures import Area, Box, Cell, Figure, Line, Table

MONO: Final = "JetBrains Mono"
SANS: Final = "Inter"
"""The fonts of the page, whose files are in fonts/. Characters that they lack come from the fonts in fonts.conf."""

MIDDLE: Final = 0.23
"""Distance from a text's baseline to its middle, relative to the text's size.

The number is between the values of Graphviz 2.43 and 14.
"""

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that are invalid in XML, and in Graphviz's HTML-like labels, which Graphviz parses as XML."""

ALIGNED: Final = {"start": "LEFT", "middle": "CENTER", "end": "RIGHT"}


def of_line(line: Line) -> tuple[str, Box]:
    """The HTML-like label of a single line, and the line's box."""
    letters = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line.text)
    width = max(4.0, line.size * 0.62 * letters)
    left = {"start": 0.0, "middle": width / 2, "end": width}[line.anchor]
    top = line.y - MIDDLE * line.size - line.size * 0.6
    box = Box(x=line.x - left, y=top, width=width, height=line.size * 1.2)
    return f"<{_table(_row(_td(_styled(line), round(width), round(box.height), _side(line))))}>", box


def of_figure(figure: Figure) -> str:
    """The HTML-like label of a box: a table of the box's lines at their positions; "" for a box without lines."""
    return f"<{_lines(figure.lines, figure)}>" if figure.lines else ""


def of_table(table: Table) -> str:
    """The HTML-like label of a storage: the cells as a table."""
    rows = "".join(_row("".join(_cell(cell, number) for number, cell in enumerate(row))) for row in table.rows)
    return f'<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="-1" CELLPADDING="0">{rows}</TABLE>>'


def second(figure: Figure) -> tuple[list[Line], list[Line]]:
    """Split the lines of a box into the label's lines and the lines at the height of an earlier line, which become nodes."""
    first: list[Line] = []
    later: list[Line] = []
    for line in figure.lines:
        (later if any(abs(line.y - other.y) < line.size / 2 for other in first) else first).append(line)
    return first, later


def _lines(lines: list[Line], box: Box | Area) -> str:
    """A table with the lines of a box from top to bottom.

    The table fills the box exactly and is never larger, because Graphviz 2.43 crashes on a table in a cell that is too small.
    """
    width, height = max(2, round(box.width)), max(2, round(box.height))
    rows, reached = [], 0
    for line in sorted(lines, key=lambda line: line.y):
        high = max(1, round(line.size * 1.2))
        top = max(reached, round(line.y - MIDDLE * line.size - box.y - high / 2))
        if top >= height:
            break
        if top > reached:
            rows.append(_row(_blank(width, top - reached)))
        reached = min(height, top + high)
        rows.append(_row(_in_row(line, box, width, reached - top)))
    if reached < height:
        rows.append(_row(_blank(width, height - reached)))
    return _table("".join(rows))


def _in_row(line: Line, figure: Box | Area, width: int, height: int) -> str:
    if line.anchor == "middle":
        return _td(_styled(line), width, height)
    inset = round(line.x - figure.x if line.anchor == "start" else figure.x + figure.width - line.x)
    inset = min(width - 1, max(1, inset))
    cell = _td(_styled(line), width - inset, height, _side(line))
    space = _blank(inset, height)
    return _td(_table(_row(space + cell if line.anchor == "start" else cell + space)), width, height)


def _cell(cell: Cell, number: int) -> str:
    border = max(1, round(cell.thick)) if cell.thick >= 2 else 1
    look = f' COLOR="{cell.stroke or "transparent"}" BORDER="{border}"' + (f' BGCOLOR="{cell.fill}"' if cell.fill else "")
    look += f' STYLE="{cell.dash}"' if cell.dash != "solid" else ""
    width, height = round(cell.width) + 1, round(cell.height) + 1
    inner = Box(x=cell.x + border, y=cell.y + border, width=width - 2 * border, height=height - 2 * border)
    return _td(_lines(cell.lines, inner), width, height, f' PORT="c{number}"{look}')


def _side(line: Line) -> str:
    return f' ALIGN="{ALIGNED[line.anchor]}"'


def _styled(line: Line) -> str:
    said = escape(NOT_XML.sub("\ufffd", line.text))
    said = f"<B>{said}</B>" if line.bold and said else said
    look = f'FACE="{SANS if line.sans else MONO}" POINT-SIZE="{round(line.size)}" COLOR="{line.colour or "#000000"}"'
    return f"<FONT {look}>{said}</FONT>" if said else " "


def _table(rows: str) -> str:
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'


def _row(cells: str) -> str:
    return f"<TR>{cells}</TR>"


def _blank(width: int, height: int) -> str:
    return _td("", width, height)


def _td(said: str, width: int, height: int, more: str = "") -> str:
    return f'<TD WIDTH="{max(1, width)}" HEIGHT="{max(1, height)}" FIXEDSIZE="TRUE"{more}>{said}</TD>'
