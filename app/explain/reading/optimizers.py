"""The contents of optimizers, from the paths through their `param_groups`."""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter

from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.trace.look_up import grouped
from app.trace.query import MODULE, value_at
from app.trace.records import FrameId, Step, TensorId, Tick

_HELD = re.compile(r"(.+)\.param_groups\[\d+\]\['params'\]\[\d+\]")

MOST_STEPS = 2
"""Maximum number of runs of each `opt.step()` that are examined.

The second run shows what the first iteration of a loop left behind.
"""


@dataclass(slots=True)
class Optimizer:
    """A path in one frame to an optimizer, the tick at which the path first led to the optimizer, and all Tensors that the
    optimizer ever held."""

    path: str
    frame: FrameId
    since: Tick
    held: dict[TensorId, None] = field(default_factory=dict)


def optimizers(reading: Reading) -> list[Optimizer]:
    """One Optimizer record for each variable or attribute that referred to an optimizer, in the order of the trace's names."""
    found: dict[tuple[FrameId, str], Optimizer] = {}
    for name in reading.trace.names:
        match = _HELD.fullmatch(name.path) if name.tensor else None
        if match is not None:
            since = name.tensor[0][0]
            optimizer = found.setdefault((name.frame, match[1]), Optimizer(match[1], name.frame, since))
            optimizer.held.update(dict.fromkeys(tensor for _, tensor in name.tensor if tensor is not None))
    return list(found.values())


def ever_held(all_of_them: list[Optimizer]) -> set[TensorId]:
    """The Tensors that any of these optimizers ever held."""
    return {tensor for optimizer in all_of_them for tensor in optimizer.held}


def stepped(reading: Reading) -> list[tuple[Step, ast.stmt, list[TensorId]]]:
    """The first two runs of each `opt.step()`, with its statement and the optimizer's Tensors."""
    by_path = grouped(optimizers(reading), attrgetter("path"))
    found: dict[int, list[tuple[Step, ast.stmt, list[TensorId]]]] = defaultdict(list)
    for step, statement, node in reading.runs_with(ast.Call, "step") if by_path else []:
        match node:
            case ast.Call(func=ast.Attribute(value=value)) if len(found[id(node)]) < MOST_STEPS:
                known = by_path.get(reading.syntax.path_of(value), [])
                held = [tensor for each in known if each.frame in (step.frame, 0) for tensor in each.held]
                if held:
                    found[id(node)].append((step, statement, list(dict.fromkeys(held))))
    return [run for runs in found.values() for run in runs]


def runs_of_step(reading: Reading) -> list[tuple[Optimizer, list[Step]]]:
    """For each path of an optimizer that stepped, all runs of its `step()`, in order."""
    by_path = grouped(optimizers(reading), attrgetter("path"))
    found: dict[tuple[str, FrameId], tuple[Optimizer, list[Step]]] = {}
    for step, _, node in reading.runs_with(ast.Call, "step") if by_path else []:
        match node:
            case ast.Call(func=ast.Attribute(value=value)):
                for each in by_path.get(reading.syntax.path_of(value), []):
                    if each.frame in (step.frame, MODULE):
                        found.setdefault((each.path, each.frame), (each, []))[1].append(step)
    return list(found.values())


def last_stepped(reading: Reading) -> list[tuple[str, Step, list[TensorId], Tick]]:
    """For each path of an optimizer, the last run of its `step()`, its Tensors, and the tick at which it was created."""
    return [(each.path, runs[-1], list(each.held), each.since) for each, runs in runs_of_step(reading)]


def constructor(reading: Reading, optimizer: Optimizer) -> tuple[Step, ast.Call] | None:
    """The statement that created the optimizer and assigned it to this path, with its call; None if the path is a second name."""
    step = reading.statement_at_tick(optimizer.since)
    match reading.statement_at(step):
        case ast.Assign(targets=[target], value=ast.Call() as call) if step is not None and last_name(call)[:1].isupper():
            return (step, call) if reading.syntax.path_of(target) == optimizer.path else None
    return None


def gradient_at(reading: Reading, leaf: TensorId, tick: Tick) -> TensorId | None:
    return value_at(reading.trace.tensors[leaf].grad, tick)
