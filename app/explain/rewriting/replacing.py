"""Replaces expressions or lines of a snippet."""

import ast
from collections.abc import Iterable
from itertools import accumulate

from app.explain.reading.snippet import if_python, lines_of, normal


def with_replaced(source: str, replacements: Iterable[tuple[ast.expr | ast.stmt | ast.keyword, str]]) -> str | None:
    """The snippet with each of these nodes replaced by a string; None if nodes overlap or the result is not valid Python."""
    text = normal(source).encode()
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    spans = []
    for node, replacement in replacements:
        # The tree counts columns in bytes of UTF-8.
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or node.col_offset)
        spans.append((begin, end, replacement.encode()))
    pieces: list[bytes] = []
    reached = 0
    for begin, end, replacement_bytes in sorted(spans):
        if begin < reached:
            return None
        pieces += [text[reached:begin], replacement_bytes]
        reached = end
    return if_python(b"".join([*pieces, text[reached:]]).decode(errors="replace"))


def with_clone(source: str, node: ast.expr) -> str | None:
    """The snippet with `.clone()` appended to `node`."""
    text = ast.get_source_segment(normal(source), node)
    return None if text is None else with_replaced(source, [(node, f"{text}.clone()")])


def without_lines(source: str, numbers: set[int]) -> str:
    """The snippet with these lines (from 1) commented out, so that every other line keeps its number."""
    kept = []
    for number, line in enumerate(lines_of(source), start=1):
        if number in numbers and line.strip():
            indentation = line[: len(line) - len(line.lstrip())]
            # `pass` keeps a block from becoming empty. Consecutive lines after the first are in the same block, or inside
            # brackets.
            line = f"{indentation}{'pass  ' if indentation and number - 1 not in numbers else ''}# {line.lstrip()}"
        kept.append(line)
    return "\n".join(kept)
