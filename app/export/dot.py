"""Writes a picture as DOT, with the `graphviz` package: every box, cell, line and frame at a fixed position."""

from collections.abc import Iterable
from typing import Final

import graphviz
import msgspec

from app.export import labels
from app.export.figures import Area, Box, Figure, Frame, Line, Look, Part, Picture, Stroke, Table

SCALE: Final = 0.75
"""Points per px, so that the picture has the same size on paper as on a screen."""

MOST_POINTS: Final = 14_000
"""Maximum length of a side in points, which is the maximum of a PDF page."""

SHAPES: Final = {"round": {"shape": "box"}, "bucket": {"shape": "polygon", "sides": "4", "distortion": "0.2"}}
"""The Graphviz attributes of outlines that Graphviz does not know by the page's name."""

INK: Final = "ink"
"""The name of an invisible node, at which a line ends if it does not end at a box."""

HEAD: Final = 10
"""Length of an arrow head with `arrowsize` 1, in points."""


def dot(picture: Picture, canvas: tuple[int, int] | None = None) -> str:
    """The DOT source. If `canvas` is given, the page has this size, in points, and the picture is in the middle of the page."""
    zoom, (width, height) = fitted(picture, canvas)
    drawn = graphviz.Digraph(
        "stepgrad",
        graph_attr={
            "bgcolor": "#ffffff",
            "outputorder": "edgesfirst",
            "notranslate": "true",
            "viewport": f"{_n(width)},{_n(height)},{zoom:.5f},{_n(picture.width / 2)},{_n(picture.height / 2)}",
        },
        node_attr={"fixedsize": "true", "margin": "0", "fontname": labels.MONO, "label": ""},
    )
    drawn.node(INK, shape="point", style="invis", width="0.01", height="0.01", pos="0,0")
    for part in picture.parts:
        _Writer(drawn, part, picture.height).write()
    return str(drawn.source)


def fitted(picture: Picture, canvas: tuple[int, int] | None) -> tuple[float, tuple[float, float]]:
    """The factor by which the picture is scaled, and the size of the page in points."""
    if canvas is not None:
        return min(2.0, canvas[0] / picture.width, canvas[1] / picture.height), canvas
    zoom = min(SCALE, MOST_POINTS / max(picture.width, picture.height))
    return zoom, (picture.width * zoom, picture.height * zoom)


class _Writer:
    """Writes the graph or the memory as DOT."""

    def __init__(self, drawn: graphviz.Digraph, part: Part, height: float) -> None:
        self._drawn = drawn
        self._part = part
        self._height = height
        self._texts = 0

    def write(self) -> None:
        """Write the frames, then the boxes and tables, then the texts and lines."""
        for number, frame in enumerate(self._part.frames):
            if frame.around < 0:
                self._drawn.subgraph(self._framed(number, frame))
        for table in self._part.tables:
            self._table(table)
        for figure in self._part.figures:
            self._figure(figure)
        for line in self._part.texts:
            self._text(line)
        for stroke in self._part.strokes:
            self._stroke(stroke)

    def _framed(self, number: int, frame: Frame) -> graphviz.Digraph:
        """Write a frame with its contents, as a cluster."""
        left, low = self._at(frame.x, frame.y + frame.height)
        right, high = self._at(frame.x + frame.width, frame.y)
        look = _look(frame, "rounded" if frame.is_round else "")
        cluster = graphviz.Digraph(
            f"cluster_{self._part.name}{number}",
            graph_attr={
                "bb": f"{_n(left)},{_n(low)},{_n(right)},{_n(high)}",
                "label": "",
                **look,
            },
        )
        for each in frame.inside:
            cluster.node(each)
        for other, inner in enumerate(self._part.frames):
            if inner.around == number and other != number:
                cluster.subgraph(self._framed(other, inner))
        return cluster

    def _figure(self, figure: Figure) -> None:
        lines, later = labels.second(figure)
        shape = SHAPES.get(figure.outline, {"shape": figure.outline})
        look = _look(figure, "rounded" if figure.outline in ("round", "bucket") else "")
        self._node(figure.id, figure, labels.of_figure(msgspec.structs.replace(figure, lines=lines)), {**shape, **look})
        for line in later:
            self._text(line)

    def _table(self, table: Table) -> None:
        self._node(table.id, table, labels.of_table(table), {"shape": "none"})

    def _text(self, line: Line) -> None:
        self._texts += 1
        label, box = labels.of_line(line)
        self._node(f"{self._part.name}_text{self._texts}", box, label, {"shape": "none"})

    def _node(self, name: str, place: Area | Box, label: str, look: dict[str, str]) -> None:
        x, y = self._at(place.x + place.width / 2, place.y + place.height / 2)
        size = {"width": _inches(place.width), "height": _inches(place.height)}
        self._drawn.node(name, label, pos=f"{_n(x)},{_n(y)}", **size, **look)

    def _stroke(self, stroke: Stroke) -> None:
        points = [self._at(*point) for point in stroke.points]
        spline = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        look = {"color": stroke.stroke or "transparent", "penwidth": _n(stroke.thick), "arrowhead": "none"}
        if stroke.dash != "solid":
            look["style"] = stroke.dash
        if stroke.tip is not None:
            tip, end = self._at(*stroke.tip), points[-1]
            length = ((tip[0] - end[0]) ** 2 + (tip[1] - end[1]) ** 2) ** 0.5
            spline = f"e,{_n(tip[0])},{_n(tip[1])} {spline}"
            look |= {"arrowhead": "normal", "arrowsize": _n(length / HEAD)}
        self._drawn.edge(stroke.source or INK, stroke.target or INK, pos=spline, **look)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position in the part to DOT, where y points upwards."""
        return x + self._part.x, self._height - y - self._part.y


def _look(look: Look, more: str) -> dict[str, str]:
    styles: Iterable[str] = (more, "filled" if look.fill else "", look.dash if look.dash != "solid" else "")
    return {
        "style": ",".join(filter(None, styles)) or "solid",
        "color": look.stroke or "transparent",
        "fillcolor": look.fill or "transparent",
        "penwidth": _n(look.thick),
    }


def _n(number: float) -> str:
    """Format a number with at most two decimals."""
    return f"{round(number, 2):g}" if abs(number) < 1e5 else f"{number:.2f}"


def _inches(px: float) -> str:
    return f"{max(px, 0.01) / 72:.4f}"
