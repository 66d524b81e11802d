"""Finds a gradient computed without `create_graph=True` that became a part of the root of a later backward."""

import ast
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.reading.backward_calls import BackwardCall, backward_call
from app.explain.reading.graph_walks import graph_below
from app.explain.reading.optimizers import ever_held, optimizers
from app.explain.reading.reading import Reading
from app.explain.reading.ways import Link, roots_after, ways_back
from app.explain.rewriting.rewrites import with_keywords
from app.trace.query import end_of, value_at
from app.trace.records import GradFn, NodeId, Step, TensorId

MOST_RUNS = 3
"""Maximum number of examined runs of one call."""

MOST_BACKWARDS = 3
"""Maximum number of backwards after a call that are searched for one that uses its result."""

MOST_USES = 20
"""Maximum number of statements that use the result of a call and are examined."""

_ON_PURPOSE = ("detach", "data", "item", "no_grad", "numpy")
_COPIES = ("CloneBackward0", "AliasBackward0", "ViewBackward0", "ToCopyBackward0", "SubBackward0")
"""Nodes that `_minuend` follows back to a leaf: copies, views, and the subtraction of an earlier inner step."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A run of `autograd.grad` without `create_graph`, its variable and results, and the trained leaves that they depend on."""

    call: BackwardCall
    step: Step
    variable: str
    given: list[TensorId]
    leaves: list[TensorId]


@dataclass(frozen=True, slots=True)
class _Found:
    """A use of a gradient that is a constant for autograd, and the backward that ran through this use."""

    called: _Call
    use: Step
    backward: Step
    tensors: list[TensorId]
    how: str
    name: str
    root: str


@finder()
def find_constant_gradient(reading: Reading) -> list[Finding]:
    """A warning for each call of `autograd.grad` whose result was used in an inner step of meta-learning, or as a term of a
    loss (a gradient penalty)."""
    calls_grad = bool(reading.syntax.ending_in(ast.Call, "grad"))
    held = ever_held(optimizers(reading)) if calls_grad else set[TensorId]()
    all_found: dict[int, _Found] = {}
    seen: Counter[int] = Counter()
    for step, statement, node in reading.runs_with(ast.Call, "grad") if calls_grad else []:
        seen[id(node)] += 1
        if id(node) in all_found or seen[id(node)] > MOST_RUNS or len(all_found) == MOST_FINDINGS:
            continue
        called = _call(reading, step, statement, node, held)
        found = None if called is None else _inner(reading, called) or _term(reading, called, held)
        if found is not None:
            all_found[id(node)] = found
    calls = [found.called.call.call for found in all_found.values()]
    return [_finding(reading, found, calls) for found in all_found.values()]


def _call(reading: Reading, step: Step, statement: ast.stmt, node: ast.expr, held: set[TensorId]) -> _Call | None:
    """A run of a call with its result; None if the snippet passes `create_graph` or the result requires grad."""
    called = backward_call(node)
    if called is None or not step.grad_enabled:
        return None
    if any(keyword.arg in ("create_graph", None) for keyword in called.call.keywords) or len(called.call.args) > 4:
        return None
    variable = _variable(statement, called.call)
    given = [] if not variable else _given(reading, variable, step)
    if not given or any(reading.requires_grad(each, end_of(step)) for each in given):
        return None
    leaves = {reading.leaf_of(node) for node in graph_below(reading, step)}
    # Without an optimizer, all leaves that a backward reached count as trained.
    trained = sorted(leaf for leaf in leaves if leaf is not None and (leaf in held or not held))
    return _Call(called, step, variable, given, trained)


def _variable(statement: ast.stmt, call: ast.Call) -> str:
    """The variable to which the gradient, or a list of gradients, is assigned; "" for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            return name
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name)]) | ast.List(elts=[ast.Name(id=name)])], value=value):
            return name if value is call else ""
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=value)) if value is call:
            return name
    return ""


def _given(reading: Reading, variable: str, step: Step) -> list[TensorId]:
    one = reading.named(variable, step.frame, end_of(step))
    return [one] if one is not None else [tensor for _, tensor in reading.given(variable, step)]


def _inner(reading: Reading, called: _Call) -> _Found | None:
    """Finds a Parameter minus the gradient, if a backward through the difference reached the Parameter."""
    for variable in [called.variable, *_loop_variables(reading, called)]:
        for reader in islice(reading.readers(variable, end_of(called.step)), MOST_USES):
            if reader.frame != called.step.frame or not _is_from(reading, called, reader):
                continue
            for operator in reading.operators_of(reader):
                found = _subtracted(reading, called, variable, reader, operator)
                if found is not None:
                    return found
    return None


def _loop_variables(reading: Reading, called: _Call) -> list[str]:
    """The variables of loops over the result of the call."""
    loops = [loop for loop in reading.syntax.of(ast.For) if called.variable in reading.syntax.names_in(loop.iter)]
    return list(dict.fromkeys(name for loop in loops for name in reading.syntax.names_in(loop.target)))


def _is_from(reading: Reading, called: _Call, reader: Step) -> bool:
    """Whether the variable still has the call's result when a statement begins."""
    definition = reading.defined_by(called.variable, reader)
    return definition is not None and definition[1].id == called.step.id


def _subtracted(reading: Reading, called: _Call, variable: str, reader: Step, operator: Step) -> _Found | None:
    """Finds `w - lr * g` if a backward ran through this difference to `w`."""
    match reading.node_at(operator.span) if operator.name == "aten::sub" else None:
        case ast.BinOp(op=ast.Sub(), right=right):
            names = reading.syntax.names_in(right)
        case _:
            return None
    # A comprehension or lambda may give the gradient another name, or use the gradient's name for another object.
    inner = reading.syntax.rebound_beside(right)
    if called.variable in inner or (variable not in names and not inner & set(names)):
        return None
    for tensor in reading.made_in.get(operator.id, []):
        made_by = value_at(tensor.grad_fn, end_of(reader))
        leaf = _minuend(reading, made_by.node) if isinstance(made_by, GradFn) else None
        run = reading.run_of_node(made_by.node, end_of(reader)) if isinstance(made_by, GradFn) else None
        if leaf is not None and leaf in called.leaves and run is not None and _came_back(reading, run, leaf):
            return _Found(called, reader, run, [leaf, tensor.id], "inner", reading.name_of(leaf), "")
    return None


def _minuend(reading: Reading, node: NodeId) -> TensorId | None:
    """The leaf `w` of a Node that computed `w - g`, also if `w` was copied before; None if the first operand is no leaf."""
    edges = reading.trace.nodes[node].edges[:1]
    while edges and edges[0] is not None:
        below = reading.trace.nodes[edges[0].node]
        if below.variable is not None:
            return below.variable
        edges = below.edges[:1] if below.name in _COPIES else []
    return None


def _came_back(reading: Reading, run: Step, leaf: TensorId) -> bool:
    """Whether the backward that ran a Node also gave the leaf a gradient."""
    statement = reading.statement_of(run.id)
    ran = [] if statement is None else reading.nodes_run.get(statement.id, [])
    return any(reading.leaf_of(node) == leaf for node in ran)


def _term(reading: Reading, called: _Call, held: set[TensorId]) -> _Found | None:
    """Finds a later root that contains the gradient as a term, if no expression between the two uses a Parameter."""
    ended = end_of(called.step)
    if not held or not called.leaves or _asks_for(reading, called, held):
        return None
    for step, root in roots_after(reading, ended, MOST_BACKWARDS):
        ways = ways_back(reading, root)
        given = next((each for each in called.given if each in ways.used), None)
        link = None if given is None else ways.used[given]
        users = {id(ways.used[leaf]) for leaf in held if leaf in ways.used}
        joint = None if link is None else _joint(reading, link, users)
        if joint is not None and given is not None and reading.name_of(root):
            name = reading.name_of(called.leaves[0])
            return _Found(called, joint, step, [given, root], "term", name, reading.name_of(root))
    return None


def _asks_for(reading: Reading, called: _Call, held: set[TensorId]) -> bool:
    """Whether the call computed the gradient of a Parameter, because such gradients are often constant weights on purpose."""
    ran = reading.nodes_run.get(called.step.id, [])
    asked = called.call.call.args[1:2] or [each.value for each in called.call.call.keywords if each.arg == "inputs"]
    tensors = [reading.tensor_of(each, called.step) for node in asked for each in _elements(node)]
    return not ran or not tensors or None in tensors or any(tensor in held for tensor in tensors)


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else [node]


def _joint(reading: Reading, link: Link | None, users: set[int]) -> Step | None:
    """The step that first added a result of the gradient to a tensor that requires grad.

    None if an expression in between uses a Parameter, because the gradient is then an input of the loss and not a term.
    """
    joint: Step | None = None
    while link is not None:
        if id(link) in users or set(_ON_PURPOSE) & _words(reading, link.piece):
            return None
        if joint is None and link.made is not None:
            made_by = value_at(reading.trace.tensors[link.made].grad_fn, reading.trace.tensors[link.made].born)
            if isinstance(made_by, GradFn):
                if not reading.trace.nodes[made_by.node].name.startswith(("AddBackward", "SubBackward")):
                    return None
                joint = link.step
        link = link.user
    return joint


def _words(reading: Reading, piece: ast.AST) -> set[str]:
    return {*reading.syntax.attributes_in(piece), *reading.syntax.calls_in(piece)}


def _finding(reading: Reading, found: _Found, calls: list[ast.Call]) -> Finding:
    called = found.called
    arguments: Arguments = {
        "how": found.how,
        "name": found.name or "none",
        "root": found.root,
        "gradient": reading.told(called.variable, called.step.frame),
        "grad_line": reading.line_of(called.step.id) or 0,
        "use_line": reading.line_of(found.use.id) or 0,
    }
    fixes = [offer("keep_gradients_graph", with_keywords, reading.trace.source, calls, "create_graph=True")]
    steps = [called.step.id, found.use.id, found.backward.id]
    return reading.finding("constant_gradient", steps, found.tensors, arguments, fixes=fixes, severity="warning")
