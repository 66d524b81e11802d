"""Follows a value back through the expressions that computed it, to an expression that cut the graph.

The trace does not record an operator's inputs; the syntax tree shows the variables in the expression that ran the operator.
"""

import ast
from collections import deque
from dataclasses import dataclass, field
from itertools import islice

from app.explain.reading.grad_mode import is_in_function
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.trace.query import END
from app.trace.records import Step, TensorId

MOST_PIECES = 300
"""Maximum number of values that one search visits. What is further back is unknown."""

MOST_MARKS = 100
"""Maximum number of expressions within one statement that are examined as the cut."""

MOST_PARTS = 20
"""Maximum number of subexpressions that are searched for the operand that has a graph."""

_Pending = deque[tuple[TensorId | None, ast.AST, Step]]

_REWRAPPED = ("torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.from_numpy")
_METHODS = {
    "detach": "detach",
    "item": "item",
    "tolist": "item",
    "numpy": "numpy",
    "argmax": "integer",
    "argmin": "integer",
    "argsort": "integer",
    "long": "integer",
    "int": "integer",
    "bool": "comparison",
}
_ORDER = ("checkpoint", "gradient", "item", "numpy", "detach", "data", "rewrapped", "comparison", "integer")


@dataclass(frozen=True, slots=True)
class Cut:
    """An expression that used the tensor `name`, which requires grad, and whose result does not require grad.

    `how` is the kind of cut (`_ORDER` and others). `mark` is the syntax node that cut the graph, or None if several nodes could
    have.
    """

    step: Step
    name: str
    tensor: TensorId
    how: str
    mark: ast.expr | None


@dataclass(slots=True)
class Provenance:
    """The result of a search: the cut, if one was found, and the tensors without inputs from which the value was computed."""

    cut: Cut | None = None
    origins: list[TensorId] = field(default_factory=list)
    whole: bool = True
    """Whether the search followed every path to a tensor without inputs."""


def provenance(reading: Reading, tensor: TensorId) -> Provenance:
    """Searches back from a Tensor that does not require grad, up to the cut that is the fewest expressions away."""
    found = Provenance()
    pending: _Pending = deque()
    _enqueue(reading, pending, tensor, found)
    return _followed(reading, pending, found)


def provenance_of_value(reading: Reading, variable: str, step: Step) -> Provenance:
    """Searches back from a variable that holds a number or an array when `step` begins."""
    definition = reading.defined_by(variable, step)
    pending: _Pending = deque([] if definition is None else [(None, value_of(definition[0]), definition[1])])
    return _followed(reading, pending, Provenance(whole=definition is not None))


def _followed(reading: Reading, pending: _Pending, found: Provenance) -> Provenance:
    seen: set[tuple[int, int]] = set()
    while pending and found.cut is None:
        made, piece, step = pending.popleft()
        if (step.id, id(piece)) in seen:
            continue
        seen.add((step.id, id(piece)))
        if len(seen) > MOST_PIECES:
            found.whole = False
            break
        inputs = _inputs(reading, piece, step)
        tracked = [(name, each) for name, each in inputs if reading.requires_grad(each, step.began)]
        if tracked and made is not None and _lost_later(reading, made):
            continue
        if tracked:
            found.cut = cut_by(reading, made, piece, step, tracked)
            break
        for _, each in inputs:
            _enqueue(reading, pending, each, found)
        for variable in values_in(reading, piece, step):
            definition = reading.defined_by(variable, step)
            if definition is not None:
                pending.append((None, value_of(definition[0]), definition[1]))
        if made is not None and not inputs:
            found.origins.append(made)
    return found


def _lost_later(reading: Reading, made: TensorId) -> bool:
    """Whether a Tensor required grad when it was created and later no longer."""
    record = reading.trace.tensors[made]
    return reading.requires_grad(made, record.born) and reading.lost_grad(made, END) is not None


def _enqueue(reading: Reading, pending: _Pending, tensor: TensorId, found: Provenance) -> None:
    maker = reading.trace.tensors[tensor].made_by
    step = None if maker is None else reading.trace.steps[maker]
    piece = None if step is None else reading.node_at(step.span) or reading.statement_at(step)
    if step is None or piece is None:
        found.whole = False
    else:
        pending.append((tensor, value_of(piece), step))


def value_of(piece: ast.AST) -> ast.AST:
    """The value of an assignment, expression statement or return; the iterable of a `for`."""
    match piece:
        case (
            ast.Assign(value=value)
            | ast.AnnAssign(value=ast.expr() as value)
            | ast.Expr(value=value)
            | ast.Return(value=ast.expr() as value)
        ):
            return value
        case ast.For(iter=over):
            return over
        case ast.FunctionDef() | ast.ClassDef() | ast.With() | ast.If() | ast.While() | ast.Try():
            return ast.Pass()
    return piece


def _inputs(reading: Reading, piece: ast.AST, step: Step) -> list[tuple[str, TensorId]]:
    """The operands of an expression: the tensors in its variables, and the results of its subexpressions."""
    inputs = list(reading.first_named(piece, step))
    for name in reading.syntax.names_in(piece):
        inputs += [(name, tensor) for tensor in reading.reached(name, step.frame, step.began)]
    inner = {id(each) for each in reading.syntax.walk(piece)} - {id(piece)}
    for operator in reading.operators_of(reading.statement_of(step.id)):
        if operator.began < step.began and id(reading.node_at(operator.span)) in inner:
            inputs += [("", tensor.id) for tensor in reading.made_in.get(operator.id, [])]
    return inputs


def values_in(reading: Reading, piece: ast.AST, step: Step) -> list[str]:
    """The variables of an expression that hold no tensor, such as a number from `item()` or an array."""
    return [name for name in reading.syntax.names_in(piece) if reading.named(name, step.frame, step.began) is None]


def cut_by(reading: Reading, made: TensorId | None, piece: ast.AST, step: Step, tracked: list[tuple[str, TensorId]]) -> Cut:
    named = [(name, tensor) for name, tensor in tracked if name] or [(reading.name_of(tensor), tensor) for _, tensor in tracked]
    name, tensor = named[0]
    statement = reading.statement_of(step.id)
    # A reentrant checkpoint runs its function with gradients off.
    is_here = isinstance(piece, ast.expr) and statement is not None and statement.grad_enabled and not step.inference
    if is_here and isinstance(piece, ast.expr) and _mark(piece) == "checkpoint" and not _is_tracked(reading, piece, step):
        return Cut(step, name, tensor, "checkpoint", piece)
    if is_in_function(reading, step):
        return Cut(step, name, tensor, "other", None)
    if step.inference or not step.grad_enabled:
        return Cut(step, name, tensor, "inference" if step.inference else "no_grad", None)
    ids = {tensor for _, tensor in tracked}
    # A variable that holds no tensor itself, such as a Module with Parameters, is not what was cut.
    held = values_in(reading, piece, step)
    name = next((name for name, _ in named if name not in held), "")
    marked = ((_mark(node), node) for node in reading.syntax.walk(piece) if isinstance(node, ast.expr))
    likely = islice(((how, node) for how, node in marked if how), MOST_MARKS)
    marks = [(how, node) for how, node in likely if ids & {each for _, each in _inputs(reading, node, step)}]
    marks = [(how, node) for how, node in marks if how != "checkpoint" or not _is_tracked(reading, node, step)]
    if marks:
        how = min((how for how, _ in marks), key=_ORDER.index)
        mark = [node for each, node in marks if each == how][-1]  # the innermost
        name, tensor = _taken(reading, mark, step, ids) or (name, tensor)
        return Cut(step, name, tensor, how, mark if len(marks) == 1 else None)
    returned = _without_grad(reading, step)
    if returned is not None:
        return Cut(returned, name, tensor, "inference" if returned.inference else "no_grad", None)
    how = "other" if made is None else _by_dtype(reading, made)
    if how == "other":
        inner = _discrete(reading, piece, step, ids)
        if inner is not None:
            return inner
    if isinstance(piece, ast.expr):
        name, tensor = _taken(reading, piece, step, ids) or (name, tensor)
    return Cut(step, name, tensor, how, piece if how != "other" and isinstance(piece, ast.expr) else None)


def _by_dtype(reading: Reading, tensor: TensorId) -> str:
    """The kind of dtype that makes a result not differentiable; "" for other dtypes."""
    geometry = reading.geometry_at(tensor, reading.trace.tensors[tensor].born)
    dtype = "" if geometry is None else geometry.dtype
    return "comparison" if dtype == "bool" else "integer" if dtype.startswith(("int", "uint")) else "other"


def _discrete(reading: Reading, piece: ast.AST, step: Step, ids: set[TensorId]) -> Cut | None:
    """Finds the subexpression that computed booleans or integers from a tensor that requires grad: `h.gt(0)` in
    `h.gt(0).float()`."""
    parts = (node for node in reading.syntax.walk(piece) if isinstance(node, ast.expr) and node is not piece)
    for node in islice(parts, MOST_MARKS):
        result = None if isinstance(node, ast.Name | ast.Constant) else reading.tensor_of(node, step)
        how = "other" if result is None else _by_dtype(reading, result)
        taken = None if how == "other" else _taken(reading, node, step, ids)
        if taken is not None:
            return Cut(step, *taken, how, node)
    return None


def _taken(reading: Reading, mark: ast.expr, step: Step, ids: set[TensorId]) -> tuple[str, TensorId] | None:
    """The text of the operand that an expression cut from the graph, and its Tensor: the outermost subexpression that requires
    grad, or that contains one of `ids`."""
    pending = deque(_parts(mark))
    for _ in range(MOST_PARTS):
        if not pending:
            break
        part, is_owner = pending.popleft()
        tensor = reading.tensor_of(part, step)
        tracked = [each for _, each in _inputs(reading, part, step) if each in ids]
        if tensor is not None and (tensor in ids or tracked) and reading.requires_grad(tensor, step.began):
            return _written(reading, part), tensor
        is_chain = isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
        if tracked and tensor is None and not _mark(part) and not (is_owner and is_chain):
            return _written(reading, part), tracked[0]
        pending.extendleft(reversed(_parts(part) if tracked else []))
    return None


def _written(reading: Reading, node: ast.expr) -> str:
    """The source of an expression; "" if it is too long."""
    text = reading.syntax.text_of(node)
    return "" if "…" in text else text


def _parts(node: ast.expr) -> list[tuple[ast.expr, bool]]:
    """The operands of an expression; True marks the object of a method or an attribute."""
    match node:
        case ast.Call(func=function, args=arguments, keywords=keywords):
            owner = [(function.value, True)] if isinstance(function, ast.Attribute) else []
            return [*owner, *((each, False) for each in arguments), *((each.value, False) for each in keywords)]
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return [(value, True)]
        case ast.Compare(left=left, comparators=others):
            return [(each, False) for each in (left, *others)]
        case ast.BinOp(left=left, right=right):
            return [(left, False), (right, False)]
        case ast.UnaryOp(operand=operand) | ast.Starred(value=operand):
            return [(operand, False)]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [(each, False) for each in elements]
    return []


def _without_grad(reading: Reading, step: Step) -> Step | None:
    """Of the functions that the statement of `step` called, the last statement of the first one that ran with gradients off."""
    statement = reading.statement_of(step.id)
    for frame in [] if statement is None else reading.called_by(statement, step):
        last = reading.statements_in.get(frame.id, [step])[-1]
        if last.inference or not (last.grad_enabled or is_in_function(reading, last)):
            return last
    return None


def _is_tracked(reading: Reading, checkpoint: ast.expr, step: Step) -> bool:
    """Whether an input of a call of `checkpoint`, which takes the function first, requires grad."""
    given = checkpoint.args[1:] if isinstance(checkpoint, ast.Call) else []
    tensors = (tensor for each in given for _, tensor in _inputs(reading, each, step))
    return any(reading.requires_grad(tensor, step.began) for tensor in tensors)


def _mark(node: ast.expr) -> str:
    """The kind of cut that an expression's syntax suggests, such as "detach" for `x.detach()`; "" for other expressions."""
    match node:
        case ast.Call(func=function, keywords=keywords) if dotted(function).endswith(
            "autograd.grad"
        ) and "create_graph" not in [keyword.arg for keyword in keywords]:
            return "gradient"
        case ast.Call(func=function, keywords=keywords) if dotted(function).endswith("checkpoint") and any(
            keyword.arg == "use_reentrant" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            for keyword in keywords
        ):
            return "checkpoint"
        case ast.Call(func=ast.Attribute(attr=method)) if method in _METHODS:
            return _METHODS[method]
        case ast.Call(func=ast.Name(id="float" | "int")):
            return "item"
        case ast.Call(func=function) if dotted(function) in _REWRAPPED or dotted(function).endswith(".new_tensor"):
            return "rewrapped"
        case ast.Attribute(attr="data"):
            return "data"
        case ast.Compare():
            return "comparison"
    return ""
