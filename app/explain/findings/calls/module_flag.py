"""Finds `model.requires_grad = False`: a module accepts any attribute, and its Parameters still require grad."""

import ast
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import MODULE
from app.trace.records import Step, StepId, TensorId

_MISSPELT = (
    "require_grad",
    "required_grad",
    "requires_grads",
    "requiresgrad",
    "require_grads",
    "requires_gard",
    "required_grads",
)

MOST_PARAMETERS = 200
"""Maximum number of examined Parameters of one module."""


@finder()
def find_module_flag(reading: Reading) -> Iterator[Finding]:
    """A warning for each assignment of a flag that had no effect on a Parameter, and for a misspelt flag of a tensor."""
    for statement in reading.syntax.of(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=flag)], value=ast.Constant(value=bool(wanted))) if (
                flag == "requires_grad" or flag in _MISSPELT
            ):
                runs = reading.runs_of_statement.get(statement, [])[:1]
                path = reading.syntax.path_of(owner)
                left = _left(reading, path, flag, wanted, runs[0]) if runs and path else None
                if left is None:
                    continue
                arguments: Arguments = {
                    "owner": path,
                    "flag": flag,
                    "how": "module" if left[0] else "tensor",
                    "wanted": str(wanted),
                }
                written = f"{path}.requires_grad_({wanted})"
                fixes = [offer("set_flag", with_replaced, reading.trace.source, [(statement, written)])]
                steps: list[StepId | None] = [runs[0].id]
                yield reading.finding("module_flag", steps, left[1], arguments, fixes=fixes, severity="warning")


def _left(reading: Reading, path: str, flag: str, wanted: bool, step: Step) -> tuple[bool, list[TensorId]] | None:
    """Whether a path leads to a module (or to a tensor), and the leaves whose flag still differs from the wanted value.

    None if there are no such leaves.
    """
    tensor = reading.named(path, step.frame, step.began)
    ended = reading.ended(step)
    if tensor is not None:
        is_left = flag != "requires_grad" and reading.requires_grad(tensor, ended.began) != wanted
        return (False, [tensor]) if is_left else None
    variable = path.replace("[", ".").partition(".")[0]
    frames = dict.fromkeys((step.frame, MODULE))
    names = (name for frame in frames for name in reading.names_through(variable, frame))
    behind = islice((name for name in names if name.path.startswith((f"{path}.", f"{path}["))), MOST_PARAMETERS)
    leaves = [reading.tensor_at(name, step.began) for name in behind]
    left = [
        leaf
        for leaf in leaves
        if leaf is not None
        and reading.trace.tensors[leaf].type == "Parameter"
        and reading.requires_grad(leaf, ended.began) != wanted
    ]
    return (True, left) if left else None
