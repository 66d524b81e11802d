"""Finds an optimizer that still updates a Parameter that the model no longer has."""

import ast
import re
from collections.abc import Iterator

from app.explain.finding import Finding, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.rewriting.blocks import levels, read_in, set_in, with_lines_moved
from app.trace.query import events_after, value_at
from app.trace.records import Name, Step, TensorId, Tick

_HELD = re.compile(r"([^\W\d][\w.]*)\.param_groups\[\d+\]\['params'\]\[\d+\]")


@finder()
def find_other_parameter(reading: Reading) -> Iterator[Finding]:
    """A warning for each name that led to an optimizer's Parameter and now leads to another leaf, which gets gradients."""
    held: dict[TensorId, str] = {}
    for name in reading.trace.names:
        match = _HELD.fullmatch(name.path)
        tensors = [] if match is None else [tensor for _, tensor in name.tensor if tensor is not None]
        if match is not None and tensors:
            held[tensors[-1]] = match[1]
    left = ((name, _left(reading, name, held)) for name in reading.trace.names if held)
    found = [(name, change) for name, change in left if change is not None]
    run = (
        {node.variable for nodes in reading.nodes_run.values() for node in map(reading.trace.nodes.__getitem__, nodes)}
        if found
        else set()
    )
    told: set[tuple[TensorId, TensorId]] = set()
    for name, (old, new, tick) in found:
        step = reading.step_at(tick)
        is_told = new in held or new not in run or (old, new) in told
        told.add((old, new))
        if is_told or step is None or ("." not in name.path and _is_changed(reading, new, tick)):
            continue
        arguments: dict[str, str | int] = {
            "name": reading.text_of(name),
            "optimizer": held[old],
            "type": reading.trace.tensors[new].type,
        }
        fixes = [offer("optimizer_after", _made_after, reading, held[old], step)]
        yield reading.finding("other_parameter", [step.id], [old, new], arguments, fixes=fixes, severity="warning")


def _made_after(reading: Reading, optimizer: str, step: Step) -> str | None:
    """Moves `opt = SGD(net.parameters())` below the line that replaced the Parameter, if no code uses the optimizer in
    between."""
    writer = reading.statement_of(step.id)
    made = None if writer is None else reading.defined_by(optimizer, writer)
    changing = reading.statement_at(writer)
    above = [] if made is None else levels(reading.syntax, made[0])
    below = [] if changing is None else levels(reading.syntax, changing)
    if not above or not below or above[-1].block is not below[-1].block or above[-1].place >= below[-1].place:
        return None
    passed = below[-1].block[above[-1].place + 1 : below[-1].place + 1]
    if optimizer in read_in(reading.syntax, passed) or set_in(reading.syntax, [above[-1].statement]) != {optimizer}:
        return None
    return with_lines_moved(reading.trace.source, [above[-1].statement], below[-1].statement, behind=True)


def _left(reading: Reading, name: Name, held: dict[TensorId, str]) -> tuple[TensorId, TensorId, Tick] | None:
    """The optimizer's Parameter to which a name led, the Tensor to which it leads now, and the tick of the change; else None.

    A variable counts only if an assignment gave it a leaf that requires grad, because the target of a loop or a function's
    argument also changes.
    """
    tensors = [(tick, tensor) for tick, tensor in name.tensor if tensor is not None]
    if _HELD.fullmatch(name.path) or len(tensors) < 2:
        return None
    (_, old), (tick, new) = tensors[-2:]
    if old not in held or old == new:
        return None
    if "." not in name.path and "[" not in name.path:
        statement = reading.statement_at(reading.statement_at_tick(tick))
        is_leaf = reading.requires_grad(new, tick) and value_at(reading.trace.tensors[new].grad_fn, tick) is None
        if not isinstance(statement, ast.Assign) or not is_leaf:
            return None
    return old, new, tick


def _is_changed(reading: Reading, tensor: TensorId, tick: Tick) -> bool:
    """Whether the program updates a Tensor by hand after a tick."""
    writes = writes_to(reading.writes_by_program, reading.geometry_at(tensor, tick))
    return next(events_after(writes, tick), None) is not None
