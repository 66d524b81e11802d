"""Finds an in-place write to one of several views that a single operator returned."""

import ast
from collections.abc import Iterator

from app.explain.finding import Finding, Fixes, finder, offer
from app.explain.findings.writing import RefusedWrite, refused_writes
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import out_of_place


@finder(after=["find_stale"])
def find_view_of_many(reading: Reading) -> Iterator[Finding]:
    """An error for each in-place write to one of several views: views from `unbind` (also a loop over a tensor), `split` and
    `chunk` must not be written in place."""
    for write in refused_writes(reading):
        node = write.maker_of_many
        if write.base is None or not node:
            continue
        base = reading.name_of(write.base)
        fixes = _fixes(reading.syntax, write, reading.path_of(write.base))
        how = "itself" if write.grad_fn == node else "view"
        known = "yes" if base else "no"
        yield write.finding("view_of_many", fixes, write.base, base=base, known=known, node=node, how=how)


def _fixes(syntax: Syntax, write: RefusedWrite, base: str) -> Fixes:
    """The fixes for a write.

    For a write to `row` in `for row in image:`, a fix must not assign a new tensor to `row`, because the next iteration would
    lose it.
    """
    loop = _loop_over(syntax, write)
    if loop is not None:
        # If the loop iterates over the result of `chunk`, an index into this result returns the same views.
        return [offer("take_by_index", _by_index, syntax, loop)] if dotted(loop.iter) == base else []
    return [offer("write_out_of_place", out_of_place, syntax, write.statement)]


def _loop_over(syntax: Syntax, write: RefusedWrite) -> ast.For | None:
    """The loop such as `for row in image:` whose body writes `row`."""
    for node in syntax.of(ast.For):
        match node:
            case ast.For(target=ast.Name(id=name), body=body) if name == write.name and write.statement in body:
                return node
    return None


def _by_index(syntax: Syntax, loop: ast.For) -> str | None:
    """`for row in image:` → `for i in range(len(image)):` with `row = image[i]` as the first line of its body."""
    rows, first = dotted(loop.iter), loop.body[0]
    index = next((name for name in ("i", "j", "k") if name not in syntax.bound_names), None)
    before = syntax.lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if index is None or before.strip():
        return None
    taken = f"{syntax.text_of(loop.target)} = {rows}[{index}]\n{before}{ast.get_source_segment(syntax.text, first)}"
    return with_replaced(syntax.source, [(loop.target, index), (loop.iter, f"range(len({rows}))"), (first, taken)])
