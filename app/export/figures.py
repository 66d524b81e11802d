"""The contents of a picture from static/js/pages/positions, decoded by strict types.

Positions are in px. The y axis points down.
"""

from typing import Annotated, Literal
from unicodedata import east_asian_width

import msgspec
from msgspec import Meta

Px = Annotated[float, Meta(ge=-1e6, le=1e6)]
Size = Annotated[float, Meta(ge=0, le=1e6)]
Colour = Annotated[str, Meta(pattern="^(#[0-9a-f]{6})?$")]
"""A colour; empty for no colour."""
Id = Annotated[str, Meta(pattern=r"^[a-z_]*[0-9]+(_[0-9]+)?$", max_length=40)]
End = Annotated[str, Meta(pattern=r"^([a-z_]*[0-9]+(_[0-9]+)?)?$", max_length=40)]
"""The id of a box; empty if a line does not end at a box."""
Dash = Literal["solid", "dashed", "dotted"]
Outline = Literal["box", "round", "note", "bucket", "circle", "triangle", "diamond"]


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of text; `y` is the position of its baseline."""

    text: Annotated[str, Meta(max_length=4000)]
    x: Px
    y: Px
    size: Annotated[float, Meta(ge=1, le=100)]
    bold: bool
    sans: bool
    colour: Colour
    anchor: Literal["start", "middle", "end"]


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """The position and size of an element."""

    x: Px
    y: Px
    width: Size
    height: Size


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """How the outline and the inside of an element are drawn."""

    fill: Colour
    stroke: Colour
    thick: Annotated[float, Meta(ge=0, le=20)]
    dash: Dash


class Area(Look, frozen=True, kw_only=True):
    """An element with an outline: position, size and look."""

    x: Px
    y: Px
    width: Size
    height: Size


class Figure(Area, frozen=True, kw_only=True):
    """A Node, saved tensor, name, tensor or similar element, with its outline and its lines of text."""

    id: Id
    outline: Outline
    lines: list[Line]


class Cell(Area, frozen=True, kw_only=True):
    """A cell of a storage, with its value and index as lines of text."""

    lines: list[Line]


class Table(Box, frozen=True, kw_only=True):
    """Cells of a storage, row by row."""

    id: Id
    rows: list[list[Cell]]


class Stroke(Look, frozen=True, kw_only=True):
    """A line of cubic curves, optionally between two boxes. `tip` is the position of the arrow head."""

    source: End = msgspec.field(name="from")
    target: End = msgspec.field(name="to")
    points: Annotated[list[tuple[Px, Px]], Meta(min_length=4)]
    tip: tuple[Px, Px] | None


class Frame(Area, frozen=True, kw_only=True):
    """A frame behind other elements: an open group, or the band behind a storage that the step wrote."""

    inside: list[Id]
    around: int
    is_round: bool = msgspec.field(name="isRound")


class Part(Box, frozen=True, kw_only=True):
    """One part of a picture, the graph or the memory, and its position."""

    name: Literal["graph", "memory"]
    frames: list[Frame]
    figures: list[Figure]
    tables: list[Table]
    texts: list[Line]
    strokes: list[Stroke]


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """The picture of a step."""

    step: int
    steps: int
    width: Size
    height: Size
    parts: list[Part]

    def has_chinese(self) -> bool:
        """Whether a text has wide characters, which the page's fonts lack."""
        lines = (
            line
            for part in self.parts
            for lines in (
                part.texts,
                *(box.lines for box in part.figures),
                *(c.lines for t in part.tables for r in t.rows for c in r),
            )
            for line in lines
        )
        return any(east_asian_width(letter) in "WF" for line in lines for letter in line.text)


DECODER = msgspec.json.Decoder(Picture)
