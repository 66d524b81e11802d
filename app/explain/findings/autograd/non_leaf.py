"""Finds a read of `.grad` of a non-leaf tensor, which is None although a backward computed its gradient."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import shortened, statements_after, under
from app.trace.index import Line
from app.trace.query import value_at
from app.trace.records import GradFn, Step, TensorId


@finder()
def find_non_leaf_grad(reading: Reading) -> Iterator[Finding]:
    """A hint at the first read of a non-leaf's `.grad`, once for each name and creating line.

    It is a warning if the name belonged to a leaf before.
    """
    done: set[tuple[str, Line | None]] = set()
    elements: set[object] = set()
    for step, _, node in reading.runs_with(ast.Attribute, "grad"):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        tensor = reading.tensor_of(node.value, step)
        element = _of_an_element(reading, node, step)
        if element is not None and element.arguments["name"] not in elements:
            elements.add(element.arguments["name"])
            yield element
        if tensor is None or not _came_by(reading, tensor, step):
            continue
        name = reading.syntax.text_of(node.value)
        maker = reading.trace.tensors[tensor].made_by
        place = name, reading.line_of(maker)
        if place in done:
            continue
        done.add(place)
        statement = reading.statement_ran_by(maker)
        lost = _was_leaf(reading, name, tensor, step, statement)
        asked = None if lost else _asked_before(reading, name, tensor, step)
        fixes: Fixes = []
        if lost:
            fixes.append(offer("write_in_place", _in_place, reading, statement))
        elif name.isidentifier() and statement is not None and maker is not None:
            added = [f"{name}.retain_grad()"]
            fixes.append(offer("retain_grad", statements_after, reading.trace.source, statement, added))
        yield reading.finding(
            "non_leaf_grad",
            [*([] if asked is None else [asked[0].id]), maker, step.id],
            [tensor, *([] if asked is None else [asked[1]])],
            {
                "name": name,
                "how": "lost" if lost else "middle" if asked is None else "moved",
                "asked_line": 0 if asked is None else reading.line_of(asked[0].id) or 0,
                "maker_line": reading.line_of(maker) or 0,
                "instead": "",
            },
            fixes=fixes,
            severity="warning" if lost else "hint",
        )


def _of_an_element(reading: Reading, node: ast.Attribute, step: Step) -> Finding | None:
    """A hint at `x[0].grad` if the leaf `x` has a gradient: each `x[0]` is a new view, which never has a gradient."""
    if not isinstance(node.value, ast.Subscript):
        return None
    leaf = reading.tensor_of(node.value.value, step)
    facts = None if leaf is None else reading.trace.tensors[leaf]
    if (
        leaf is None
        or facts is None
        or value_at(facts.is_leaf, step.began) is not True
        or value_at(facts.grad, step.began) is None
    ):
        return None
    owner, name = (reading.syntax.text_of(each) for each in (node.value.value, node.value))
    arguments: Arguments = {
        "name": name,
        "how": "element",
        "asked_line": 0,
        "maker_line": 0,
        "instead": f"{owner}.grad{name.removeprefix(owner)}",
    }
    fixes = [offer("read_leaf_grad", with_replaced, reading.trace.source, [(node, str(arguments["instead"]))])]
    return reading.finding("non_leaf_grad", [step.id], [leaf], arguments, fixes=fixes)


def _came_by(reading: Reading, tensor: TensorId, step: Step) -> bool:
    """Whether a backward computed a gradient of a non-leaf Tensor that does not retain it."""
    facts = reading.trace.tensors[tensor]
    grad_fn = value_at(facts.grad_fn, step.began)
    if value_at(facts.is_leaf, step.began) is not False or not isinstance(grad_fn, GradFn):
        return False
    runs = reading.runs_of(grad_fn.node)
    return bool(runs) and runs[0].began < step.began and value_at(facts.grad, step.began) is None


def _asked_before(reading: Reading, name: str, tensor: TensorId, step: Step) -> tuple[Step, TensorId] | None:
    """An earlier run of `name.retain_grad()` when the name led to another tensor, and that tensor; None if there is none."""
    for asked, _, node in reading.runs_with(ast.Call, "retain_grad"):
        match node:
            case ast.Call(func=ast.Attribute(value=value)) if (
                reading.syntax.text_of(value) == name and asked.frame == step.frame
            ):
                other = reading.tensor_of(value, asked)
                if other is not None and other != tensor and asked.began < reading.trace.tensors[tensor].born:
                    return asked, other
    return None


def _was_leaf(reading: Reading, name: str, tensor: TensorId, step: Step, statement: ast.stmt | None) -> bool:
    """Whether the assignment that created a Tensor replaced, under the same name, a leaf that requires grad."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
            born = reading.trace.tensors[tensor].born
            before = reading.named(name, step.frame, born)
            leaf = before is not None and value_at(reading.trace.tensors[before].is_leaf, born) is True
            used = name in reading.syntax.names_in(statement.value)
            return leaf and used and before is not None and reading.requires_grad(before, born)
    return False


def _in_place(reading: Reading, statement: ast.stmt | None) -> str | None:
    """`w = w - 0.1 * w.grad` → `w -= 0.1 * w.grad` under no_grad, followed by `w.grad = None`."""
    short = shortened(reading.trace.source, statement) if isinstance(statement, ast.Assign) else None
    for node in [] if short is None or statement is None else Syntax(short).on_line(statement.lineno):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)) if short is not None:
                cleared = statements_after(short, node, [f"{name}.grad = None"])
                return None if cleared is None else under(cleared, node, "with torch.no_grad():")
    return None
