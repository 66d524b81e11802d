"""Iterates over the first backward of each line, and over the first run of each expression. Repetitions in loops are left out."""

import ast
from collections.abc import Iterator
from typing import TypeVar

from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import Step

_Piece = TypeVar("_Piece", bound=ast.AST)


def first_backwards(reading: Reading) -> Iterator[tuple[Line, Step]]:
    """Each line with the first statement on it that ran backward; line 0 if the line is unknown."""
    known: set[Line] = set()
    for step in reading.backwards:
        line = reading.line_of(step.id) or 0
        if line not in known:
            known.add(line)
            yield line, step


def first_pieces(reading: Reading, operators: tuple[str, ...], kind: type[_Piece]) -> Iterator[tuple[Step, _Piece]]:
    """For each syntax node of type `kind`, such as a call, the first step in which the node ran one of these operators."""
    known: set[ast.AST] = set()
    for step in reading.trace.steps:
        piece = reading.node_at(step.span) if step.name in operators else None
        if isinstance(piece, kind) and piece not in known:
            known.add(piece)
            yield step, piece
