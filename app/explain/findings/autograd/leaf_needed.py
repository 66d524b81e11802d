"""Finds a non-leaf tensor where torch needs a leaf: an optimizer, `requires_grad`, `deepcopy`."""

import ast
from collections.abc import Iterator
from itertools import chain, islice

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.reading.ways import leads_to
from app.explain.rewriting.blocks import is_read_later, levels
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import statements_before
from app.trace.query import MODULE, value_at
from app.trace.records import Step, TensorId

MOST_CANDIDATES = 1_000
"""Maximum number of arguments of one call that are searched for the non-leaf."""


@finder(after=["find_stale"])
def find_leaf_needed(reading: Reading) -> Iterator[Finding]:
    """An error for each non-leaf that torch refused."""
    for step, piece in chain(reading.failures, reading.raised_as("ValueError")):
        how, candidates = _asked(piece, step)
        within = _within(reading, candidates, step) if how == "deepcopy" and len(candidates) == 1 else None
        if within is not None:
            yield within
            continue
        for node in islice(candidates, MOST_CANDIDATES):
            tensor = reading.tensor_of(node, step)
            maker = None if tensor is None else reading.trace.tensors[tensor].made_by
            if tensor is None or maker is None or not _is_middle(reading, tensor, step):
                continue
            leaves = _leaves(reading, tensor, step) if how == "optimizer" else []
            arguments: Arguments = {
                "name": reading.quoted(reading.syntax.text_of(node), step.frame),
                "holder": "none",
                "how": how,
                "leaf": leaves[0] if leaves else "",
                "leaves": len(leaves),
                "maker_line": reading.line_of(maker) or 0,
            }
            fixes = [] if leaves else _fixes(reading, how, node, piece, step)
            yield reading.exception_finding("leaf_needed", step, [tensor], arguments, fixes=fixes, makers=[maker])
            break


def _within(reading: Reading, copied: list[ast.expr], step: Step) -> Finding | None:
    """An error for the first non-leaf in an object or collection that was to be deep-copied."""
    path = reading.syntax.path_of(copied[0])
    root = path.replace("[", ".").partition(".")[0]
    for name in islice(chain(reading.names_through(root, step.frame), reading.names_through(root, MODULE)), MOST_CANDIDATES):
        tensor = value_at(name.tensor, step.began)
        maker = None if tensor is None else reading.trace.tensors[tensor].made_by
        if tensor is None or maker is None or not name.path.startswith((f"{path}.", f"{path}[")):
            continue
        if _is_middle(reading, tensor, step):
            arguments: Arguments = {
                "name": reading.told(name.path, step.frame),
                "holder": path,
                "how": "module",
                "leaf": "",
                "leaves": 0,
                "maker_line": reading.line_of(maker) or 0,
            }
            return reading.exception_finding("leaf_needed", step, [tensor], arguments, makers=[maker])
    return None


def _asked(piece: ast.expr | ast.stmt, step: Step) -> tuple[str, list[ast.expr]]:
    """The kind of the failed operation, and its operands that must be leaves; "" for any other operation."""
    match piece:
        case ast.Call(func=function, args=[ast.List() | ast.Tuple() as parameters, *_]) if "optim" in dotted(function).split(
            "."
        ):
            return "optimizer", parameters.elts if step.name == "ValueError" else []
        case ast.Call(func=function, args=[copied]) if dotted(function).split(".")[-1] == "deepcopy":
            return "deepcopy", [copied] if step.name == "RuntimeError" else []
        case ast.Attribute(value=value, attr="requires_grad", ctx=ast.Store()):
            return "requires_grad", [value] if step.name == "RuntimeError" else []
        case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")):
            return "requires_grad", [value] if step.name == "RuntimeError" else []
    return "", []


def _is_middle(reading: Reading, tensor: TensorId, step: Step) -> bool:
    is_leaf = value_at(reading.trace.tensors[tensor].is_leaf, step.began)
    return is_leaf is False and reading.requires_grad(tensor, step.began)


def _leaves(reading: Reading, tensor: TensorId, step: Step) -> list[str]:
    """The named leaves from which a Tensor was computed.

    A fix passes these leaves to the optimizer; a detached copy of the tensor would not train them.
    """
    nodes = leads_to(reading, [tensor], step.began)
    leaves = dict.fromkeys(leaf for leaf in map(reading.leaf_of, sorted(nodes)) if leaf is not None)
    return [reading.name_of(leaf) for leaf in leaves if reading.paths_of(leaf, step.began)]


def _fixes(reading: Reading, how: str, node: ast.expr, piece: ast.expr | ast.stmt, step: Step) -> Fixes:
    source, statement = reading.trace.source, reading.statement_ran_by(step.id)
    fixes: Fixes = []
    if how == "deepcopy":
        text = reading.syntax.text_of(node)
        text = text if isinstance(node, ast.Name | ast.Call | ast.Attribute) else f"({text})"
        fixes.append(offer("clone_instead", with_replaced, source, [(piece, f"{text}.detach().clone()")]))
    elif isinstance(node, ast.Name) and statement is not None and how == "optimizer":
        leaf = f"{node.id} = {node.id}.detach().requires_grad_()"
        fixes.append(offer("make_leaf", statements_before, source, statement, [leaf]))
    elif isinstance(node, ast.Name) and isinstance(statement, ast.Assign | ast.Expr) and how == "requires_grad":
        is_off = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant) and not statement.value.value
        entry = _entry(reading.syntax, statement, node.id) if is_off else node.id
        if is_off and entry:
            fixes.append(offer("detach_instead", with_replaced, source, [(statement, f"{entry} = {node.id}.detach()")]))
    return fixes


def _entry(syntax: Syntax, statement: ast.stmt, name: str) -> str:
    """The variable or entry to which a fix assigns a new tensor so that the program uses it; "" if unknown.

    For `x` in `for k, x in xs.items():` it is `xs[k]`.
    """
    if is_read_later(syntax, statement, name):
        return name
    for level in levels(syntax, statement):
        match level.owner:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]),
                iter=ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="items"), args=[])
                | ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=held)]),
            ) if value == name:
                return f"{held}[{key}]"
    return ""
