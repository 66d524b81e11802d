"""Finds a hook of a tensor that was later written in place. Such a hook gets the gradient of the value before the write."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import lines_of
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import statements_after
from app.trace.query import next_change, value_at
from app.trace.records import GradFn, Step, TensorId


@finder()
def find_hook_left(reading: Reading) -> Iterator[Finding]:
    """A hint for each `h.register_hook(...)` whose hook ran for the value that `h` had before a later write."""
    done: set[int] = set()
    for step, statement, node in reading.runs_with(ast.Call, "register_hook"):
        if id(node) in done or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        tensor = reading.tensor_of(node.func.value, step)
        left = None if tensor is None else _left(reading, tensor, step)
        if tensor is None or left is None:
            continue
        done.add(id(node))
        write, run = left
        arguments: Arguments = {
            "name": reading.syntax.text_of(node.func.value),
            "line": reading.line_of(step.id) or 0,
            "write_line": reading.line_of(write.id) or 0,
            "needer_line": reading.line_of(run.id) or 0,
        }
        fixes = [offer("hook_after", _below, reading, statement, write)]
        yield reading.finding("hook_left", [step.id, write.id, run.id], [tensor], arguments, fixes=fixes)


def _left(reading: Reading, tensor: TensorId, step: Step) -> tuple[Step, Step] | None:
    """The statement that gave a Tensor a new `grad_fn` after `step`, and the later run of the old `grad_fn` with the hook."""
    facts = reading.trace.tensors[tensor].grad_fn
    before, tick = value_at(facts, step.began), next_change(facts, step.began)
    if tick is None or not isinstance(before, GradFn) or not isinstance(value_at(facts, tick), GradFn):
        return None
    changed = reading.step_at(tick)
    write = None if changed is None else reading.statement_of(changed.id)
    run = reading.run_of_node(before.node, since=tick)
    return None if write is None or run is None else (write, run)


def _below(reading: Reading, statement: ast.stmt, write: Step) -> str | None:
    """Moves the registration of the hook below the write, if both are on separate lines."""
    source, written = reading.trace.source, reading.statement_at(write)
    text = ast.get_source_segment(reading.syntax.text, statement)
    if written is None or text is None or "\n" in text or written.col_offset != statement.col_offset:
        return None
    added = statements_after(source, written, [text])
    gone = None if added is None or statement.lineno >= written.lineno else with_replaced(added, [(statement, "pass")])
    if gone is None:
        return None
    lines = list(lines_of(gone))
    return "\n".join([*lines[: statement.lineno - 1], *lines[statement.lineno :]])
