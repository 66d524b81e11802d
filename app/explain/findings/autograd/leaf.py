"""Finds an in-place write to a leaf that requires grad while grad mode is on."""

import ast
from collections.abc import Iterator
from itertools import dropwhile, takewhile

from app.explain.finding import Finding, finder, offer
from app.explain.findings.writing import RefusedWrite, refused_writes, written_by
from app.explain.reading.grad_mode import is_in_function
from app.explain.reading.integers import integers
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.explain.reading.snippet import dotted
from app.explain.reading.viewing import Shape, broadcast
from app.explain.rewriting.blocks import levels
from app.explain.rewriting.rewrites import under
from app.trace.query import END, value_at
from app.trace.records import TensorId, Tick

_OF_SIZES = ("torch.ones", "torch.zeros", "torch.rand", "torch.randn", "torch.empty")


@finder(after=["find_cut", "find_stale"])
def find_leaf_written(reading: Reading) -> Iterator[Finding]:
    """An error for each in-place write to a leaf that requires grad, or to a view of such a leaf."""
    writes = refused_writes(reading)
    without_grad = _first_views_without_grad(reading) if writes else {}
    for write in writes:
        leaf = write.tensor if write.base is None else write.base
        if value_at(reading.trace.tensors[leaf].is_leaf, write.step.began) is not True or reading.is_inference(
            leaf, write.step
        ):
            continue  # torch raises another error for an inference tensor
        # Views created without grad are left to `find_no_grad_view`. Parameters are created without grad too, but are not views.
        if write.base is not None and not write.made_with_grad:
            continue
        if not reading.requires_grad(leaf, write.step.began) or write.maker_of_many:  # see `find_view_of_many`
            continue
        # If the written view is a view of a view that was created without grad, torch raises another error first. The trace
        # records only their base, so the times of their creation are compared.
        if write.base is not None and without_grad.get(write.base, END) < reading.trace.tensors[write.tensor].born:
            continue
        fixes = [offer("write_without_grad", _without_grad, write)] if _fits(write) else []
        how = "view" if write.base is not None else "part" if write.part else "itself"
        # After `b = b[0]` the name `b` leads to the view, and the leaf may have no name.
        name = (
            reading.name_then(leaf, write.step.began)
            if write.base is not None
            else reading.quoted(write.name, write.step.frame)
        )
        yield write.finding("leaf_written", fixes, leaf, leaf=name, how=how, known="yes" if name else "no")


def _without_grad(write: RefusedWrite) -> str | None:
    """Moves the write, and following writes to the same variable, into `with torch.no_grad():`."""
    syntax = write.reading.syntax
    around = levels(syntax, write.statement)
    after = around[-1].block[around[-1].place + 1 :] if around else []
    root = _root(write.statement)
    more = list(takewhile(lambda each: root is not None and _root(each) == root, after))
    return under(syntax.source, write.statement, "with torch.no_grad():", more)


def _root(statement: ast.stmt) -> str | None:
    """The variable through which a statement writes in place; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target]) | ast.AugAssign(target=target):
            written: ast.expr | None = target
        case ast.Expr(value=ast.Call() as call):
            written = written_by(call)
        case _:
            return None
    while isinstance(written, ast.Subscript | ast.Attribute):
        written = written.value
    return written.id if isinstance(written, ast.Name) else None


def _fits(write: RefusedWrite) -> bool:
    """Whether the written values broadcast to the leaf's shape, as far as known.

    If they do not, the fixed program would raise too.
    """
    match write.statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value) | ast.AugAssign(target=target, value=value):
            pieces = [target, value]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=arguments)):
            pieces = [target, *arguments]
        case _:
            return True
    known = [_shape(write, piece) for piece in pieces]
    # `x[0] = y` ignores leading dimensions of size 1.
    shapes = [_short(shape) for shape in known if shape is not None]
    met = [broadcast(shapes[0], shape) for shape in shapes if known[0] is not None]
    return all(shape is not None and _short(shape) == shapes[0] for shape in met)


def _shape(write: RefusedWrite, piece: ast.expr) -> Shape | None:
    """The shape of an expression; None if unknown.

    For a tensor that was freed before it could be recorded, the shape is computed from the source.
    """
    match piece:
        case ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=piece) | ast.BinOp(left=piece, right=ast.Constant()):
            pass
    known = operand(write.reading, piece, write.step)
    if known is not None:
        return known.shape
    match piece:
        case ast.Call(func=function, args=[*sizes], keywords=[]) if dotted(function) in _OF_SIZES and sizes:
            given = integers(write.reading, sizes, write.step)
            return None if given is None else tuple(given)
    return None


def _short(shape: Shape) -> Shape:
    return tuple(dropwhile(lambda size: size == 1, shape))


def _first_views_without_grad(reading: Reading) -> dict[TensorId, Tick]:
    """For each base, the tick at which the first of its views was created with grad mode off."""
    first: dict[TensorId, Tick] = {}
    for record in reading.trace.tensors:
        base = value_at(record.base, record.born)
        maker = None if base is None or record.made_by is None else reading.trace.steps[record.made_by]
        if base is not None and maker is not None and not (maker.grad_enabled or is_in_function(reading, maker)):
            first.setdefault(base, record.born)
    return first
