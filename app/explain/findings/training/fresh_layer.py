"""Finds a layer that each forward pass creates again. The layer's weights are random in each pass, and no optimizer has them."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.optimizers import ever_held, optimizers
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.trace.records import Step, StepId, TensorId

FEWEST = 2
"""Minimum number of calls of `forward` that created the layer."""

MOST_CALLS = 100
"""Maximum number of examined Parameters created by one call."""


@finder()
def find_fresh_layer(reading: Reading) -> Iterator[Finding]:
    """A warning for each call in a `forward` that creates Parameters, if they get a gradient but are in no optimizer."""
    made: dict[ast.Call, list[tuple[Step, TensorId]]] = defaultdict(list)
    reached = {reading.leaf_of(node) for nodes in reading.nodes_run.values() for node in nodes}
    held: set[TensorId] | None = None
    for leaf in sorted(tensor for tensor in reached if tensor is not None):
        record = reading.trace.tensors[leaf]
        step = None if record.made_by is None else reading.trace.steps[record.made_by]
        call = None if step is None else reading.node_at(step.span)
        frame = None if step is None or step.frame is None else reading.trace.frames[step.frame]
        if record.type != "Parameter" or step is None or frame is None or not isinstance(call, ast.Call):
            continue
        held = ever_held(optimizers(reading)) if held is None else held
        is_forward = frame.function.rpartition(".")[2] == "forward"
        is_layer = last_name(call)[:1].isupper() and last_name(call) != "Parameter"
        if is_forward and is_layer and leaf not in held and len(made[call]) < MOST_CALLS:
            made[call].append((step, leaf))
    for call, leaves in made.items():
        frames = {step.frame for step, _ in leaves}
        if len(frames) < FEWEST or not held:
            continue
        steps: list[StepId | None] = [leaves[0][0].id, leaves[-1][0].id]
        arguments: Arguments = {
            "layer": reading.syntax.text_of(call.func),
        }
        tensors = [leaf for _, leaf in leaves]
        yield reading.finding("fresh_layer", steps, tensors, arguments, severity="warning")
