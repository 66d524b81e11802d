"""Finds an input of `torch.autograd.grad` that is not in the output's graph, and the line that cut the graph."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.autograd.cut import ask_for_grad, unmark
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.reading import Reading
from app.explain.reading.ways import Ways, cut_on_the_way, leads_to, ways_back
from app.trace.query import value_at
from app.trace.records import GradFn, NodeId, Step, TensorId

MOST_CALLS = 20
"""Maximum number of refused calls that are traced back. A loop can catch the same exception many times."""

MOST_INPUTS = 1_000
"""Maximum number of examined inputs of one call."""


@dataclass(frozen=True, slots=True)
class _Input:
    """A Tensor whose gradient a call requests, its expression if it has one, and its name."""

    tensor: TensorId
    node: ast.expr | None
    name: str


@finder(after=["find_freed", "find_stale"])
def find_unused_input(reading: Reading) -> list[Finding]:
    """An error for each refused call, about the first input that no backward from the outputs reaches."""
    findings: list[Finding] = []
    for step, piece in reading.failures:
        called = backward_call(piece)
        inputs = [] if called is None else list(islice(_asked(reading, called.call, step), MOST_INPUTS))
        if called is None or not inputs or (len(findings) >= MOST_CALLS and step is not reading.fatal):
            continue
        roots = [reading.tensor_of(root, step) for root in called.roots]
        known = [root for root in roots if root is not None and reading.requires_grad(root, step.began)]
        if len(known) != len(roots) or _is_told(reading, step):
            continue
        off = next((each for each in inputs if not reading.requires_grad(each.tensor, step.began)), None)
        if off is not None:
            findings.append(_not_asked(reading, off, known, step))
            continue
        nodes = leads_to(reading, known, step.began)
        leaves = {reading.trace.nodes[node].variable for node in nodes}
        unused = [each for each in inputs if each.tensor not in leaves and not _is_made_by(reading, each.tensor, nodes, step)]
        if unused:
            name = reading.syntax.text_of(called.roots[0])
            findings.append(_finding(reading, unused, known[0], reading.quoted(name, step.frame), step))
    return findings


def _asked(reading: Reading, call: ast.Call, step: Step) -> Iterator[_Input]:
    """The Tensors for which a call of `autograd.grad` requests gradients."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    given = keywords.get("inputs", call.args[1] if len(call.args) > 1 else None)
    if given is None or "allow_unused" in keywords or "is_grads_batched" in keywords:
        return
    is_list = isinstance(given, ast.List | ast.Tuple)
    for node in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
        tensor = reading.tensor_of(node, step)
        if tensor is not None:
            yield _Input(tensor, node, reading.quoted(reading.syntax.text_of(node), step.frame))
        elif not is_list:
            yield from _gathered(reading, node, step)


def _gathered(reading: Reading, node: ast.expr, step: Step) -> Iterator[_Input]:
    """The Tensors in `model.parameters()`, in `list(model.parameters())`, or in a variable that holds a list."""
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner], keywords=[]):
            node = inner
    is_parameters = False
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="parameters"), args=[], keywords=[]):
            node, is_parameters = value, True
    if isinstance(node, ast.Name):
        for tensor in dict.fromkeys(reading.reached(node.id, step.frame, step.began)):
            if not is_parameters or reading.trace.tensors[tensor].type == "Parameter":
                yield _Input(tensor, None, reading.name_of(tensor))


def _is_told(reading: Reading, step: Step) -> bool:
    """Whether the backward raised for another reported reason, before torch checked whether all inputs were reached."""
    line = reading.line_of(step.id)
    others = [*reading.found_by("find_stale"), *reading.found_by("find_freed")]
    return any(line in (finding.line, finding.arguments.get("needer_line")) for finding in others)


def _is_made_by(reading: Reading, tensor: TensorId, nodes: set[NodeId], step: Step) -> bool:
    grad_fn = value_at(reading.trace.tensors[tensor].grad_fn, step.began)
    return isinstance(grad_fn, GradFn) and grad_fn.node in nodes


def _not_asked(reading: Reading, asked: _Input, roots: list[TensorId], step: Step) -> Finding:
    """A finding about an input of `autograd.grad` that does not require grad."""
    maker = reading.trace.tensors[asked.tensor].made_by
    fixes = [offer("ask_for_grad", ask_for_grad, reading, asked.tensor)]
    arguments: Arguments = {"name": asked.name, "how": "off", "inputs": 1, "root": "", "cut_line": 0}
    arguments["maker_line"] = reading.line_of(maker) or 0
    about = [asked.tensor, *roots]
    return reading.exception_finding("unused_input", step, about, arguments, fixes=fixes, makers=[maker])


def _finding(reading: Reading, unused: list[_Input], root: TensorId, name: str, step: Step) -> Finding:
    first = unused[0]
    ways = ways_back(reading, root)
    cut = cut_on_the_way(reading, ways, first.tensor)
    maker = reading.trace.tensors[first.tensor].made_by
    fixes: Fixes = []
    how, source = "unknown", None
    if cut is not None:
        how = cut.how
        fixes.append(offer("without_detach", unmark, reading, cut))
    elif first.tensor not in ways.used:
        source = _made_of(reading, first.tensor, ways)
        how = "later" if source is not None else "apart" if ways.whole else "unknown"
    makers = [None if cut is None else cut.step.id] if source is None else [maker]
    arguments: Arguments = {
        "name": first.name,
        "root": name,
        "how": how,
        "inputs": len(unused),
        "cut_line": 0 if cut is None else reading.line_of(cut.step.id) or 0,
        "maker_line": reading.line_of(maker) or 0,
    }
    about = [first.tensor, root]
    return reading.exception_finding("unused_input", step, about, arguments, fixes=fixes, makers=makers)


def _made_of(reading: Reading, tensor: TensorId, ways: Ways) -> TensorId | None:
    """A tensor from which both the outputs and this input were computed, such as the base of a view; None for a leaf."""
    if value_at(reading.trace.tensors[tensor].is_leaf, reading.trace.tensors[tensor].born) is not False:
        return None
    return next((each for each in ways_back(reading, tensor).used if each in ways.used), None)
