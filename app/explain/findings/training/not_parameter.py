"""Finds a tensor assigned in place of a Parameter. Under the name of a Parameter, a module accepts only a Parameter or None."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step, TensorId


@finder()
def find_not_parameter(reading: Reading) -> Iterator[Finding]:
    """An error for each `m.weight = tensor` that the module refused."""
    for step, piece in reading.raised_as("TypeError"):
        statement = reading.statement_ran_by(step.id)
        match statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if piece is target or piece is statement:
                slot, given = reading.tensor_of(target, step), reading.tensor_of(value, step)
                types = [None if each is None else reading.trace.tensors[each].type for each in (slot, given)]
                if slot is None or given is None or types[0] != "Parameter" or types[1] == "Parameter":
                    continue
                arguments: Arguments = {"name": reading.syntax.text_of(target)}
                fixes = _fixes(reading, statement, slot, given, step)
                yield reading.exception_finding("not_parameter", step, [slot, given], arguments, fixes=fixes)


def _fixes(reading: Reading, statement: ast.Assign, slot: TensorId, given: TensorId, step: Step) -> Fixes:
    """`m.weight = w` → `m.weight.copy_(w)` under no_grad if the shapes are equal, else a new Parameter."""
    source = reading.syntax.text
    target, value = reading.syntax.text_of(statement.targets[0]), ast.get_source_segment(source, statement.value)
    looks = [reading.geometry_at(each, step.began) for each in (slot, given)]
    if value is None or looks[0] is None or looks[1] is None:
        return []
    indentation = " " * (statement.col_offset + 4)
    written = f"with torch.no_grad():\n{indentation}{target}.copy_({value})"
    fixes = [offer("new_parameter", with_replaced, source, [(statement.value, f"torch.nn.Parameter({value})")])]
    if looks[0].shape == looks[1].shape:
        fixes.insert(0, offer("copy_into_parameter", with_replaced, source, [(statement, written)]))
    return fixes
