"""Finds `torch.tensor(...)` of tensors that require grad, or a Parameter made of a computed tensor: both copy values without
history."""

import ast
from collections import Counter
from itertools import islice, takewhile

from app.explain.finding import MOST_FINDINGS, Finding, Fixes, Severity, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import last_name
from app.explain.reading.ways import leads_to, roots_after, ways_back
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import value_at
from app.trace.records import GradFn, Step, TensorId

_MAKERS = {"tensor": "torch.tensor", "as_tensor": "torch.as_tensor", "FloatTensor": "FloatTensor", "Parameter": "Parameter"}
_COPIES = ("CloneBackward", "ToCopyBackward", "TBackward", "TransposeBackward")

MOST_PIECES = 1_000
"""Maximum number of examined elements of one list."""

MOST_BACKWARDS = 2
"""Maximum number of backwards after a call that are searched for one that reaches its result."""

MOST_ROUNDS = 20
"""Maximum number of examined runs of one call. Each run needs a look at all tensors in the call."""


@finder(after=["find_cut"])
def find_rewrapped(reading: Reading) -> list[Finding]:
    """A hint or a warning for each call that copies values without history.

    Calls that `find_cut` already reports are left out.
    """
    findings: list[Finding] = []
    done: set[int] = set()
    seen: Counter[ast.expr] = Counter()
    for maker, spelled in _MAKERS.items():
        for step, statement, node in reading.runs_with(ast.Call, maker):
            seen[node] += 1
            if seen[node] > MOST_ROUNDS or id(node) in done or not isinstance(node, ast.Call) or not node.args:
                continue
            if not dotted(node.func).endswith(spelled) or not step.grad_enabled or len(findings) >= MOST_FINDINGS:
                continue
            tensors = _copied(reading, node, step)
            if not tensors:
                continue
            is_told = maker == "tensor" and not isinstance(node.args[0], ast.Name)  # torch itself warns about these calls
            if is_told or _is_missed(reading, node, statement, step, tensors):
                done.add(id(node))
                findings.append(_finding(reading, node, step, tensors, is_told=is_told))
    return [] if findings and reading.found_by("find_cut") else findings


def _copied(reading: Reading, node: ast.Call, step: Step) -> list[TensorId]:
    """The Tensors that a call copies, if all are known and at least one requires grad; else empty."""
    given, ended = node.args[0], reading.ended(step)
    is_list = isinstance(given, ast.List | ast.Tuple)
    pieces = given.elts if isinstance(given, ast.List | ast.Tuple) else node.args[:1]
    tensors = (reading.tensor_of(piece, ended) for piece in pieces)
    known = [tensor for tensor in takewhile(lambda tensor: tensor is not None, tensors) if tensor is not None]
    name = last_name(node)
    if name == "Parameter":  # if the result no longer exists, use its operands
        inner = (reading.tensor_of(piece, ended) for piece in reading.syntax.walk(given) if isinstance(piece, ast.expr))
        known = list(islice((tensor for tensor in inner if tensor is not None and _is_computed(reading, tensor)), 1))
    elif not known and isinstance(given, ast.Name):
        known = list(islice(reading.reached(given.id, step.frame, step.began), MOST_PIECES))
    elif len(known) != len(pieces) or (name == "as_tensor" and not is_list):  # `as_tensor` returns the tensor itself
        return []
    return known if any(reading.requires_grad(each, reading.trace.tensors[each].born) for each in known) else []


def _is_computed(reading: Reading, tensor: TensorId) -> bool:
    """Whether a Tensor is the result of a computation.

    A copy of another tensor does not count, because a Parameter may be initialized with the values of a tensor.
    """
    facts = reading.trace.tensors[tensor]
    grad_fn = value_at(facts.grad_fn, facts.born)
    return isinstance(grad_fn, GradFn) and not reading.trace.nodes[grad_fn.node].name.startswith(_COPIES)


def _is_missed(reading: Reading, node: ast.Call, statement: ast.stmt, step: Step, tensors: list[TensorId]) -> bool:
    """Whether one of the next backwards uses the copy although a leaf of the copied values never gets a gradient."""
    made = reading.tensor_of(node, reading.ended(step))
    match statement:
        case ast.Assign(targets=[target]) if statement.value is node:
            made = reading.tensor_of(target, reading.ended(step))
    nodes = leads_to(reading, tensors, step.began if step.ended is None else step.ended)
    leaves = (reading.trace.tensors[leaf] for each in nodes if (leaf := reading.leaf_of(each)) is not None)
    missing = any(all(grad is None for _, grad in leaf.grad) for leaf in leaves)
    after = step.began if step.ended is None else step.ended
    return missing and any(made in ways_back(reading, root).used for _, root in roots_after(reading, after, MOST_BACKWARDS))


def _finding(reading: Reading, node: ast.Call, step: Step, tensors: list[TensorId], *, is_told: bool) -> Finding:
    fixes: Fixes = []
    is_list = isinstance(node.args[0], ast.List) or (isinstance(node.args[0], ast.Tuple | ast.Name) and not is_told)
    if last_name(node) != "Parameter" and is_list and len(node.args) == 1 and not node.keywords:
        fixes.append(offer("stack", with_replaced, reading.trace.source, [(node.func, "torch.stack")]))
    arguments: dict[str, str | int] = {
        "count": len(tensors),
        "call": dotted(node.func),
    }
    severity: Severity = "hint" if is_told else "warning"
    return reading.finding("rewrapped", [step.id], tensors, arguments, fixes=fixes, severity=severity)
