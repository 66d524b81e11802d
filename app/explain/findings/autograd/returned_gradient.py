"""Finds gradients returned by a custom Function's backward or a Tensor's hook that have the wrong number or shape."""

import ast
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.mismatch import clipped
from app.explain.reading.integers import integers
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, operand
from app.explain.reading.syntax import last_name
from app.explain.reading.viewing import Shape, broadcast
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import value_at
from app.trace.records import Edge, Frame, GradFn, Node, NodeId, Step, TensorId

_ONE = frozenset(
    "clone contiguous clamp div expand expand_as float masked_fill matmul mean mm mul neg ones_like reshape sign sum t to "
    "transpose view where zeros_like".split()
)
"""Functions and methods that return one Tensor, never a tuple."""


@dataclass(frozen=True, slots=True)
class _Return:
    """The last return of a function that a Node called before torch refused the returned gradients."""

    refused: Step
    run: Step
    step: Step
    value: ast.expr
    function: ast.FunctionDef
    name: str


@dataclass(frozen=True, slots=True)
class _Input:
    """An argument of `forward` other than `ctx`, and the edge along which the Node sends its gradient."""

    name: str
    tensor: TensorId | None
    edge: Edge | None


@dataclass(frozen=True, slots=True)
class _Hooked:
    """A Tensor with a hook: its expression, the shape of its gradient, and the step that registered the hook."""

    tensor: TensorId
    name: str
    shape: Shape
    registered: Step


@finder()
def find_returned_gradient(reading: Reading) -> list[Finding]:
    """An error if the run ended because torch refused a returned gradient.

    Torch checks the number and shapes of gradients after the function has returned.
    """
    refused = reading.fatal
    beside = [] if refused is None else reading.children.get(refused.parent, [])
    place = 0 if refused is None else bisect_left(beside, refused.began, key=attrgetter("began"))
    if refused is None or refused.name != "RuntimeError" or not place or beside[place - 1].node is None:
        return []
    run = beside[place - 1]
    inner = reading.children.get(run.id, [])
    called = next((step for step in reversed(inner) if step.kind == "call"), None)
    returned = None if called is None else _return_of(reading, called, run, refused)
    if returned is not None and returned.function.name == "backward":
        return _of_backward(reading, returned)
    if returned is not None and called == inner[-1]:
        return _of_hook(reading, returned)
    return _of_lambda(reading, inner[-1], run, refused) if inner and inner[-1].kind == "operator" else []


def _return_of(reading: Reading, call: Step, run: Step, refused: Step) -> _Return | None:
    frames = reading.trace.frames
    place = bisect_left(frames, call.began, key=attrgetter("began"))
    frame = frames[place] if place < len(frames) and frames[place].began == call.began else None
    body = [] if frame is None else reading.statements_in.get(frame.id, [])
    if frame is None or not body or body[-1].ended is None or body[-1].ended != frame.ended:
        return None
    name = frame.function.split(".")[-1]
    functions = [each for each in reading.syntax.functions_at(frame.line) if each.name == name]
    match functions, reading.statement_at(body[-1]):
        case [ast.FunctionDef() as function], ast.Return(value=ast.expr() as value):
            return _Return(refused, run, reading.ended(body[-1]), value, function, frame.function)
    return None


# --- the backward of a custom Function --------------------------------------------------------------------------------


def _of_backward(reading: Reading, returned: _Return) -> list[Finding]:
    owner = next((each for each in reading.syntax.of(ast.ClassDef) if returned.function in each.body), None)
    node = None if returned.run.node is None else reading.trace.nodes[returned.run.node]
    if owner is None or node is None or node.name != f"{owner.name}Backward":
        return []
    names, gradients = _names(reading, owner, node), _gradients(reading, returned)
    if not names or not gradients:
        return []
    inputs = _inputs(reading, owner, node, names)
    if len(names) == len(gradients):
        return _of_shapes(reading, returned, gradients, inputs)
    # More gradients than inputs are accepted if the extra gradients are None.
    if len(gradients) > len(names) and not any(_is_tensor(reading, each, returned.step) for each in gradients[len(names) :]):
        return []
    missing = names[len(gradients) :]
    needs_none = bool(inputs and missing) and not any(each.edge for each in inputs[len(gradients) :])
    arguments: Arguments = {
        "forward": f"{owner.name}.forward",
        "function": f"{owner.name}.backward",
        "inputs": len(names),
        "names": clipped(", ".join(names)),
        "returned": len(gradients),
        "return_line": reading.line_of(returned.step.id) or 0,
        "missing": clipped(", ".join(missing)) if needs_none else "none",
    }
    fixes = [offer("none_for_inputs", _with_none, reading, gradients[-1], len(missing))] if needs_none else []
    makers = [returned.step.id]
    return [reading.exception_finding("gradient_count", returned.refused, [], arguments, fixes=fixes, makers=makers)]


def _of_shapes(reading: Reading, returned: _Return, gradients: list[ast.expr], inputs: list[_Input]) -> list[Finding]:
    for gradient, each in zip(gradients, inputs, strict=False):
        target = None if each.edge is None else reading.trace.nodes[each.edge.node]
        wanted = target.inputs[each.edge.input_nr] if target and each.edge and each.edge.input_nr < len(target.inputs) else None
        given = None if wanted is None else _given(reading, gradient, returned.step)
        if wanted is not None and given is not None and not _sums_to(given.shape, tuple(wanted.shape)):
            arguments: Arguments = {"how": "backward", "function": returned.name, "name": each.name}
            tensors = [] if each.tensor is None else [each.tensor]
            return [_of_shape(reading, returned.refused, returned.step, tensors, given, tuple(wanted.shape), arguments, [])]
    return []


def _sums_to(shape: Shape, wanted: Shape) -> bool:
    """Whether autograd can reduce a gradient of this shape to the wanted shape by summing broadcast dimensions."""
    last = shape[len(shape) - len(wanted) :]
    return len(wanted) <= len(shape) and all(size in (1, given) for size, given in zip(wanted, last, strict=True))


def _names(reading: Reading, owner: ast.ClassDef, node: Node) -> list[str]:
    """The parameters of `forward` other than `ctx`; empty for starred or keyword-only parameters."""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    forward = methods.get("forward")
    if forward is None or forward.args.vararg or forward.args.kwarg or forward.args.kwonlyargs:
        return []
    has_context = "setup_context" in methods
    names = [each.arg for each in (*forward.args.posonlyargs, *forward.args.args)][0 if has_context else 1 :]
    if not forward.args.defaults:
        return names
    made_by = reading.statement_at(reading.statement_of(node.made_by))
    calls = reading.syntax.calls_in(made_by).get("apply", [])
    match calls:
        case [ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=given, keywords=[])] if not has_context:
            is_plain = name == owner.name and not any(isinstance(each, ast.Starred) for each in given)
            return names[: len(given)] if is_plain else []
    return []


def _gradients(reading: Reading, returned: _Return) -> list[ast.expr]:
    """The expressions of the returned gradients; empty if their number is unknown."""
    match returned.value:
        case ast.Tuple(elts=elements):
            return [] if any(isinstance(each, ast.Starred) for each in elements) else elements
        case ast.Constant(value=None):
            return [returned.value]
    return [returned.value] if _is_tensor(reading, returned.value, returned.step) else []


def _is_tensor(reading: Reading, node: ast.expr, step: Step) -> bool:
    """Whether an expression returned one Tensor.

    The trace has no record of the results of subexpressions, so functions such as `sum` are recognized by name.
    """
    is_plain = isinstance(node, ast.BinOp | ast.UnaryOp) or (isinstance(node, ast.Call) and last_name(node) in _ONE)
    ran = reading.operators_of(reading.statement_of(step.id)) if is_plain else []
    return any(reading.node_at(each.span) is node for each in ran) or operand(reading, node, step) is not None


def _given(reading: Reading, node: ast.expr, step: Step) -> Operand | None:
    """The value of an expression, also of a `sum` or `mean` of a known value."""
    match node:
        case ast.Call(func=ast.Attribute(value=value)):
            known = operand(reading, value, step)
            shape = None if known is None else _summed(reading, node, known.shape, step)
            if known is not None and shape is not None:
                return replace(known, text=reading.syntax.text_of(node), shape=shape)
    return operand(reading, node, step)


def _summed(reading: Reading, node: ast.Call, shape: Shape, step: Step) -> Shape | None:
    """The shape of `x.sum(0)` or `x.mean(-1, keepdim=True)`, given the shape of `x`; None for other expressions."""
    words = {"dim": None, "keepdim": None} | dict(zip(("dim", "keepdim"), node.args, strict=False))
    words |= {keyword.arg or "": keyword.value for keyword in node.keywords}
    dim, keep = words["dim"], words["keepdim"]
    if last_name(node) not in ("sum", "mean") or len(words) > 2 or len(node.args) > 2 or (dim is None and node.args):
        return None
    keeps = keep.value if isinstance(keep, ast.Constant) else keep
    places = integers(reading, dim.elts if isinstance(dim, ast.Tuple | ast.List) else [dim], step) if dim is not None else None
    if dim is None and keep is None:
        return ()
    if not places or keeps not in (None, True, False) or any(not -len(shape) <= place < len(shape) for place in places):
        return None
    gone = {place % len(shape) for place in places}
    return tuple(1 if place in gone else size for place, size in enumerate(shape) if keeps or place not in gone)


def _inputs(reading: Reading, owner: ast.ClassDef, node: Node, names: list[str]) -> list[_Input]:
    """The inputs with their edges; empty if it is unknown which inputs were Tensors, because other inputs have no edges."""
    ran = (each for each in reversed(reading.trace.frames) if each.began <= node.born and each.file is None)
    last = list(islice((each for each in ran if f".{each.function}".endswith(f".{owner.name}.forward")), 2))
    calls = [reading.callers.get(each.id) for each in last]
    around = [None if call is None else reading.statement_of(reading.trace.steps[call].parent) for call in calls]
    made_by = reading.statement_of(node.made_by)
    if made_by is None or around[:1] != [made_by] or made_by in around[1:]:
        return []
    tensors = [_argument(reading, name, last[0]) for name in names]
    if sum(tensor is not None for tensor in tensors) != len(node.edges):
        return []
    edges = iter(node.edges)
    return [_Input(name, each, None if each is None else next(edges)) for name, each in zip(names, tensors, strict=True)]


def _argument(reading: Reading, argument: str, frame: Frame) -> TensorId | None:
    name = reading.name_in(frame.id, argument)
    return None if name is None else reading.tensor_at(name, frame.began)


def _with_none(reading: Reading, last: ast.expr, count: int) -> str | None:
    text = ast.get_source_segment(reading.syntax.text, last)
    return None if text is None else with_replaced(reading.trace.source, [(last, text + ", None" * count)])


# --- a hook of a Tensor -----------------------------------------------------------------------------------------------


def _of_hook(reading: Reading, returned: _Return) -> list[Finding]:
    """Finds a hook that is a named function and returned a gradient of the wrong shape."""
    hooked = _hooked(reading, returned.run, returned.step, returned.function)
    given = None if hooked is None else _given(reading, returned.value, returned.step)
    if hooked is None or given is None or given.shape == hooked.shape:
        return []
    arguments: Arguments = {"how": "hook", "function": returned.function.name, "name": hooked.name}
    argument = next((each.arg for each in returned.function.args.args if each.arg != "self"), "")
    fixes = _expanded(reading, returned.value, argument, given.shape, hooked.shape)
    return [_of_shape(reading, returned.refused, returned.step, [hooked.tensor], given, hooked.shape, arguments, fixes)]


def _expanded(reading: Reading, node: ast.expr, argument: str, shape: Shape, wanted: Shape) -> Fixes:
    """`return grad.mean(0)` → `return grad.mean(0).expand_as(grad)`, if the shape broadcasts to the wanted shape."""
    fits = bool(argument) and broadcast(shape, wanted) == wanted
    return [offer("expand_gradient", with_behind, reading.trace.source, node, f".expand_as({argument})")] if fits else []


def _of_lambda(reading: Reading, last: Step, run: Step, refused: Step) -> list[Finding]:
    """Finds a lambda hook by the call that registered it.

    The trace has no frame for a lambda; the last operator before the error computed its result.
    """
    body = reading.node_at(last.span)
    hooked = _hooked(reading, run, last, body) if isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) else None
    match body:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if hooked and list(reading.syntax.names_in(body)) == [name]:
            shape = _summed(reading, body, hooked.shape, refused)
            if shape is not None and shape != hooked.shape:
                given = Operand(reading.syntax.text_of(body), shape, "", hooked.tensor, None)
                arguments: Arguments = {"how": "hook", "function": "lambda", "name": hooked.name}
                fixes = _expanded(reading, body, name, shape, hooked.shape)
                return [_of_shape(reading, refused, hooked.registered, [], given, hooked.shape, arguments, fixes)]
    return []


def _hooked(reading: Reading, run: Step, step: Step, hook: ast.FunctionDef | ast.expr) -> _Hooked | None:
    """The Tensor with this hook whose gradient this backward was computing; None if there is not exactly one."""
    found: dict[TensorId, _Hooked] = {}
    accumulators = {node.variable: node.id for node in reading.trace.nodes}
    for registered, _, call in reading.runs_with(ast.Call, "register_hook"):
        match call:
            case ast.Call(func=ast.Attribute(value=value), args=[given], keywords=[]) if _is(given, hook):
                tensor = reading.tensor_of(value, registered)
                shape = None if tensor is None else _pending(reading, tensor, accumulators, run, step)
                if tensor is not None and shape is not None:
                    found.setdefault(tensor, _Hooked(tensor, reading.syntax.text_of(value), shape, registered))
    return next(iter(found.values())) if len(found) == 1 else None


def _is(given: ast.expr, hook: ast.FunctionDef | ast.expr) -> bool:
    match given:
        case ast.Lambda(body=body, args=ast.arguments(args=[ast.arg(arg=name)])):
            match body:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=read))):
                    return body is hook and read == name
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return isinstance(hook, ast.FunctionDef) and hook.name == name
    return False


def _pending(
    reading: Reading, tensor: TensorId, accumulators: dict[TensorId | None, NodeId], run: Step, step: Step
) -> Shape | None:
    """The shape of a Tensor's gradient in this backward, if the Node that receives it had not run before."""
    grad_fn = value_at(reading.trace.tensors[tensor].grad_fn, run.began)
    node = grad_fn.node if isinstance(grad_fn, GradFn) else accumulators.get(tensor)
    number = grad_fn.output_nr if isinstance(grad_fn, GradFn) else 0
    statement = reading.statement_of(run.id)
    came = reading.gradients_to.get(node, []) if node is not None and statement is not None else []
    if node is None or statement is None or reading.run_of_node(node, since=statement.began) not in (None, run):
        return None
    place = bisect_left(came, step.began, key=attrgetter("tick"))
    last = came[place - 1] if place else None
    return tuple(last.shape) if last is not None and last.tick > statement.began and last.input_nr == number else None


def _of_shape(
    reading: Reading,
    refused: Step,
    by: Step,
    tensors: list[TensorId],
    given: Operand,
    wanted: Shape,
    arguments: Arguments,
    fixes: Fixes,
) -> Finding:
    told: Arguments = {
        **arguments,
        "given": clipped(given.text),
        "shape": str(given.shape),
        "wanted": str(wanted),
        "return_line": reading.line_of(by.id) or 0,
    }
    both = [*tensors, given.tensor]
    return reading.exception_finding("gradient_shape", refused, both, told, fixes=fixes, makers=[by.id])
