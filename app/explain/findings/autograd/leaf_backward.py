"""Finds a backward from a leaf: a number that was copied into a new tensor, or a result that was set to require grad."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.provenance import Cut, provenance
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.ways import asked_late
from app.explain.rewriting.replacing import with_replaced
from app.trace.index import Line
from app.trace.query import value_at
from app.trace.records import Step, StepId, TensorId

_KEPT = ("item", "rewrapped", "detach")
"""Kinds of cuts that the fix can remove."""

MOST_ROUNDS = 20
"""Maximum number of backwards to examine."""


@finder()
def find_leaf_backward(reading: Reading) -> Iterator[Finding]:
    """A warning for each line that ran backward from a leaf that was computed from other tensors."""
    done: set[Line | None] = set()
    tried = 0
    for step, _, node in reading.runs_with(ast.Call, "backward"):
        called, line = backward_call(node), reading.line_of(step.id)
        root = None if called is None or len(called.roots) != 1 else reading.tensor_of(called.roots[0], reading.ended(step))
        if root is None or line in done or step.ended is None or tried >= MOST_ROUNDS:
            continue
        is_leaf = value_at(reading.trace.tensors[root].is_leaf, step.ended) is True
        grad = value_at(reading.trace.tensors[root].grad, step.ended)
        if is_leaf and reading.requires_grad(root, step.ended) and grad is not None:
            tried += 1
            finding = _finding(reading, root, step)
            if finding is not None:
                yield finding
            done.add(line)


def _finding(reading: Reading, root: TensorId, step: Step) -> Finding | None:
    found, asked, maker = provenance(reading, root), asked_late(reading, root), reading.trace.tensors[root].made_by
    if maker is None or (found.cut is None and (asked is None or found.origins in ([], [root]))):
        return None
    cut = found.cut
    arguments: Arguments = {
        "root": reading.name_of(root),
        "how": "late" if cut is None else cut.how,
        "name": "" if cut is None else reading.quoted(cut.name, cut.step.frame),
        "known": "no" if cut is None or not cut.name else "yes",
        "cut_line": 0 if cut is None else reading.line_of(cut.step.id) or 0,
        "maker_line": reading.line_of(maker) or 0,
        "asked_line": 0 if asked is None else reading.line_of(asked.id) or 0,
        "line": reading.line_of(step.id) or 0,
    }
    steps = [None if cut is None else cut.step.id, maker, None if asked is None else asked.id, step.id]
    shown = list(dict.fromkeys(reading.shown_from(*steps)))
    about = [root] if cut is None else [cut.tensor, root]
    fixes = [offer("keep_the_graph", _kept, reading, cut, maker)] if cut is not None and cut.how in _KEPT else []
    return reading.finding("leaf_backward", shown, about, arguments, fixes=fixes, severity="warning")


def _kept(reading: Reading, cut: Cut, maker: StepId) -> str | None:
    """`torch.tensor(loss.item(), requires_grad=True)` → `loss`, also if another line calls `item()`."""
    made, text = reading.node_at(reading.span_of(maker)), reading.syntax.text
    match made:
        case ast.Call(func=function, args=[given]) if dotted(function) in ("torch.tensor", "torch.as_tensor", "torch.Tensor"):
            pieces: list[tuple[ast.expr, str | None]] = [(made, ast.get_source_segment(text, _value(given)))]
            if isinstance(cut.mark, ast.expr) and cut.mark not in list(reading.syntax.walk(made)):
                pieces.append((cut.mark, ast.get_source_segment(text, _value(cut.mark))))
            known = [(node, piece) for node, piece in pieces if piece is not None]
            return with_replaced(reading.trace.source, known) if len(known) == len(pieces) else None
    return None


def _value(node: ast.expr) -> ast.expr:
    """The `loss` in `loss.item()`."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item" | "detach"), args=[], keywords=[]):
            return _value(value)
    return node
