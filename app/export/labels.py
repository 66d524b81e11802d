"""Labels in Graphviz's two languages: whatever the text, it is shown as it is, and says nothing to Graphviz."""

import re
from html import escape
from typing import Final

from app.export.figures import Cell, Figure, Line, Table

MONO: Final = "JetBrains Mono"
SANS: Final = "Inter"
"""The page's fonts, which lie in fonts/. What they lack is taken from those that fonts.conf names."""

MIDDLE: Final = 0.23
"""How far the middle of a line of text lies over its baseline, in its size: between what versions 2.43 and 14 of Graphviz take."""

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML holds, nor Graphviz's HTML-like labels, which it parses as XML."""

ALIGNED: Final = {"start": "LEFT", "middle": "CENTER", "end": "RIGHT"}


def text(line: Line) -> str:
    """An HTML-like label of one line."""
    return f'<{_styled(line)}<BR ALIGN="{ALIGNED[line.anchor]}"/>>' if line.anchor != "middle" else f"<{_styled(line)}>"


def of_figure(figure: Figure) -> str:
    """The HTML-like label of a box: a table of its lines, each in its place; "" where it has none."""
    if not figure.lines:
        return ""
    lines = sorted(figure.lines, key=lambda line: line.y)
    width, rows, reached = round(figure.width), [], 0
    for line in lines:
        height = max(1, round(line.size * 1.2))
        top = max(reached, round(line.y - MIDDLE * line.size - figure.y - height / 2))
        if top > reached:
            rows.append(_row(_blank(width, top - reached)))
        rows.append(_row(_in_row(line, figure, width, height)))
        reached = top + height
    return _table("".join(rows), width, round(figure.height))


def of_table(table: Table) -> str:
    """The HTML-like label of a storage: its cells as a table."""
    rows = "".join(_row("".join(_cell(cell, number) for number, cell in enumerate(row))) for row in table.rows)
    return f'<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="-1" CELLPADDING="0">{rows}</TABLE>>'


def second(figure: Figure) -> tuple[list[Line], list[Line]]:
    """The lines of a box, and those of them that stand on the same height as another one before, which go by themselves."""
    first: list[Line] = []
    later: list[Line] = []
    for line in figure.lines:
        (later if any(abs(line.y - other.y) < line.size / 2 for other in first) else first).append(line)
    return first, later


def _in_row(line: Line, figure: Figure, width: int, height: int) -> str:
    if line.anchor == "middle":
        return _td(_styled(line), width, height)
    inset = max(1, round(line.x - figure.x if line.anchor == "start" else figure.x + figure.width - line.x))
    told = _td(_styled(line), max(1, width - inset), height, f' ALIGN="{ALIGNED[line.anchor]}"')
    space = _blank(inset, height)
    return _td(_inner(_row(space + told if line.anchor == "start" else told + space)), width, height)


def _cell(cell: Cell, number: int) -> str:
    said = "".join(map(_styled, cell.lines[:1]))
    said += "".join(f'<BR/>{_styled(index)}<BR ALIGN="RIGHT"/>' for index in cell.lines[1:])
    look = f' COLOR="{cell.stroke or "transparent"}"' + (f' BGCOLOR="{cell.fill}"' if cell.fill else "")
    look += f' STYLE="{cell.dash}"' if cell.dash != "solid" else ""
    look += f' BORDER="{max(1, round(cell.thick))}"' if cell.thick >= 2 else ""
    return _td(said, round(cell.width) + 1, round(cell.height) + 1, f' PORT="c{number}"{look}')


def _styled(line: Line) -> str:
    said = escape(NOT_XML.sub("\ufffd", line.text))
    said = f"<B>{said}</B>" if line.bold and said else said
    look = f'FACE="{SANS if line.sans else MONO}" POINT-SIZE="{round(line.size)}" COLOR="{line.colour or "#000000"}"'
    return f"<FONT {look}>{said}</FONT>" if said else " "


def _table(rows: str, width: int, height: int) -> str:
    look = f'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" WIDTH="{width}" HEIGHT="{height}" FIXEDSIZE="TRUE"'
    return f"<<TABLE {look}>{rows}{_row(_blank(1, 1))}</TABLE>>"


def _inner(row: str) -> str:
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{row}</TABLE>'


def _row(cells: str) -> str:
    return f"<TR>{cells}</TR>"


def _blank(width: int, height: int) -> str:
    return _td("", width, height)


def _td(said: str, width: int, height: int, more: str = "") -> str:
    return f'<TD WIDTH="{max(1, width)}" HEIGHT="{max(1, height)}" FIXEDSIZE="TRUE"{more}>{said}</TD>'
