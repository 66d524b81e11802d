"""Each backward and each piece of the snippet once, however often a loop runs it."""

import ast
from collections.abc import Iterator
from typing import TypeVar

from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import Step

_Piece = TypeVar("_Piece", bound=ast.AST)


def first_backwards(reading: Reading) -> Iterator[tuple[Line, Step]]:
    """The first backward of each line, with that line; 0 stands for all that are of none."""
    known: set[Line] = set()
    for step in reading.backwards:
        line = reading.line_of(step.id) or 0
        if line not in known:
            known.add(line)
            yield line, step


def first_pieces(reading: Reading, operators: tuple[str, ...], kind: type[_Piece]) -> Iterator[tuple[Step, _Piece]]:
    """The first run of any of these operators by each piece of this kind, such as a call."""
    known: set[ast.AST] = set()
    for step in reading.trace.steps:
        piece = reading.node_at(step.span) if step.name in operators else None
        if isinstance(piece, kind) and piece not in known:
            known.add(piece)
            yield step, piece
