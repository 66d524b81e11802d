"""The shape of an expression: of a recorded tensor, or of a view created within the expression, which has no record.

The functions return None if neither the trace nor the syntax tree shows the shape.
"""

import ast
from dataclasses import dataclass, replace

from app.explain.reading.integers import integer, integers
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.reading.viewing import Shape, is_view, viewed
from app.trace.query import MODULE, value_at
from app.trace.records import SHAPELESS, Step, StepId, TensorId

MOST_LINKS = 20
"""Maximum number of views of a chain such as `x.t()[0].view(2)` that are followed back to the recorded tensor."""

MOST_CALLS = 3
"""Maximum depth of nested functions of the snippet that are searched for results."""

_FIRST_OF_SEVERAL = tuple(
    f"aten::{name}"
    for name in (
        "native_layer_norm native_batch_norm _native_batch_norm_legit native_group_norm native_dropout cudnn_batch_norm "
        "max_pool2d_with_indices nll_loss_forward nll_loss2d_forward"
    ).split()
)
"""Operators with several results of which the Python function returns only the first."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The value of an expression: a Tensor, or a view of a Tensor that the expression created."""

    text: str
    """The source of the expression."""
    shape: Shape
    dtype: str
    tensor: TensorId
    maker: StepId | None
    """The step that gave the Tensor its shape."""


def operand(reading: Reading, node: ast.expr, step: Step) -> Operand | None:
    """The shape and dtype that an expression in the statement of `step` had when `step` began; None if unknown."""
    return _operand(reading, node, step, MOST_CALLS)


def _operand(reading: Reading, node: ast.expr, step: Step, calls: int) -> Operand | None:
    text = reading.syntax.text_of(node)
    links: list[ast.expr] = []
    while True:
        tensor = known_tensor(reading, node, step)
        if tensor is not None:
            found = of_tensor(reading, tensor, step)
            break
        found = _returned(reading, node, step, calls) if isinstance(node, ast.Call) and calls else None
        inner = is_view(node)
        if found is not None or inner is None or len(links) == MOST_LINKS:
            break
        links.append(node)
        node = inner
    for link in reversed(links):
        shape = None if found is None else viewed(link, found.shape, lambda nodes: integers(reading, nodes, step))
        found = None if found is None or shape is None else replace(found, shape=shape)
    return None if found is None else replace(found, text=text)


def of_tensor(reading: Reading, tensor: TensorId, step: Step, text: str = "") -> Operand | None:
    """An Operand for a recorded Tensor, with `text` as its source; None if the Tensor has no shape, such as a nested tensor."""
    record = reading.trace.tensors[tensor]
    geometry = value_at(record.geometry, step.began)
    if geometry is None or geometry.layout in SHAPELESS:
        return None
    shaped = record.made_by
    for place in range(1, len(record.geometry)):  # `unsqueeze_`, `resize_`, `.data =`
        tick, later = record.geometry[place]
        if tick <= step.began and later.shape != record.geometry[place - 1][1].shape:
            by = reading.step_at(tick)
            shaped = None if by is None else by.id
    return Operand(text, tuple(geometry.shape), geometry.dtype, tensor, shaped)


def known_tensor(reading: Reading, node: ast.expr, step: Step) -> TensorId | None:
    """The Tensor that a variable, a path or the result of an operator evaluated to; None if unknown."""
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        owner = known_tensor(reading, node.value, step) if not isinstance(node.value, ast.Call) else None
        return None if owner is None else value_at(reading.trace.tensors[owner].grad, step.began)
    path = path_at(reading, node, step)
    named = named_at(reading, path, step) if path else None
    return made_at(reading, node, step) if named is None else named


def path_at(reading: Reading, node: ast.expr, step: Step) -> str:
    """The path of a chain of attributes and indices, as a trace writes it: `xs[i]` is `xs[2]` if i is 2."""
    links: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            links.append(f".{node.attr}")
        else:
            index = None if isinstance(node.slice, ast.Constant) else integer(reading, node.slice, step)
            if index is None and not isinstance(node.slice, ast.Constant):
                return ""
            links.append(f"[{index if index is not None else reading.syntax.text_of(node.slice)}]")
        node = node.value
    return node.id + "".join(reversed(links)) if isinstance(node, ast.Name) else ""


def named_at(reading: Reading, path: str, step: Step) -> TensorId | None:
    """The Tensor at a path; None if the statement may have rebound the variable before this expression."""
    variable = path.replace("[", ".").partition(".")[0]
    if variable in reading.rebound_in(step, reading.node_at(step.span)):
        return None
    tensor = reading.named(path, step.frame, step.began)
    frame = step.frame
    if tensor is None or frame is None or frame == MODULE:
        return tensor
    name = reading.name_in(frame, path)
    is_own = name is not None and reading.tensor_at(name, step.began) is not None
    return tensor if is_own or variable not in reading.syntax.bound_in_functions else None


def made_at(reading: Reading, node: ast.expr, step: Step) -> TensorId | None:
    """The result of the last operator that an expression ran, if this result is the value of the expression.

    None for the target of `x[mask, :3] = y`, because its recorded operator only computes `x[:, :3]`, in which the mask
    selects elements.
    """
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return None
    ran = reading.operators_of(reading.statement_of(step.id))
    before = [each for each in ran if each.began < step.began and reading.node_at(each.span) is node]
    made = reading.made_in.get(before[-1].id, []) if before else []
    return made[0].id if made and (len(made) == 1 or before[-1].name in _FIRST_OF_SEVERAL) else None


def _returned(reading: Reading, node: ast.Call, step: Step, calls: int) -> Operand | None:
    """The return value of a call of a function of the snippet; None if the frame of the call is unknown."""
    statement = reading.statement_of(step.id)
    name = last_name(node)
    if statement is None or len(reading.syntax.calls_in(reading.statement_at(statement)).get(name, [])) != 1:
        return None
    held = reading.held(name, step) if isinstance(node.func, ast.Name) else None
    function = f"{held.type}.forward" if held is not None and held.kind == "object" else name
    ran = [frame for frame in reading.called_by(statement, step) if f".{frame.function}".endswith(f".{function}")]
    body = reading.statements_in.get(ran[0].id, []) if len(ran) == 1 else []
    last = reading.ended(body[-1]) if body else None
    match None if last is None else reading.statement_at(last):
        case ast.Return(value=ast.expr() as value) if last is not None:
            return _operand(reading, value, last, calls - 1)
    return None
