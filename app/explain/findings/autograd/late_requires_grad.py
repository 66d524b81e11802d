"""Finds `requires_grad` set on a tensor after the forward pass used the tensor, without a record by autograd."""

from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.autograd.cut import ask_for_grad
from app.explain.reading.reading import Reading
from app.explain.reading.ways import asked_late, leads_to, roots_after, ways_back
from app.trace.query import END, value_at
from app.trace.records import Step, TensorId

MOST_LATE = 20
"""Maximum number of examined tensors with a late `requires_grad`. Each is searched in the inputs of later backwards."""

MOST_BACKWARDS = 2


@finder()
def find_late_requires_grad(reading: Reading) -> Iterator[Finding]:
    """A warning for each tensor that never got a gradient because `requires_grad` was set after its use."""
    for tensor, asked in _late(reading)[:MOST_LATE]:
        for step, root in roots_after(reading, asked.began, MOST_BACKWARDS):
            link = ways_back(reading, root).used.get(tensor)
            leaves = {reading.leaf_of(node) for node in leads_to(reading, [root], step.began)}
            if link is None or link.step.began > asked.began or tensor in leaves or root == tensor:
                continue
            fixes = [offer("ask_for_grad", ask_for_grad, reading, tensor)]
            arguments: Arguments = {
                "name": reading.name_of(tensor),
                "root": reading.name_of(root),
                "known": "yes" if reading.name_of(root) else "no",
                "use_line": reading.line_of(link.step.id) or 0,
                "asked_line": reading.line_of(asked.id) or 0,
            }
            steps = [link.step.id, asked.id, step.id]
            about = [tensor, root]
            yield reading.finding("late_requires_grad", steps, about, arguments, fixes=fixes, severity="warning")
            break


def _late(reading: Reading) -> list[tuple[TensorId, Step]]:
    """Named leaves for which `requires_grad` was set after their creation, and which never had a gradient.

    Leaves that required grad at first are left out: they were frozen on purpose during the forward pass.
    """
    found = []
    for tensor in reading.trace.tensors:
        is_asking = [asks for _, asks in tensor.requires_grad[:2]] == [False, True] and tensor.type == "Tensor"
        if is_asking and not any(grad is not None for _, grad in tensor.grad) and reading.name_of(tensor.id):
            asked = asked_late(reading, tensor.id)
            # Within `apply`, the output of a custom Function is a leaf; afterwards it may be a non-leaf that requires grad.
            is_leaf = value_at(tensor.is_leaf, END) is True
            if asked is not None and is_leaf and value_at(tensor.is_leaf, asked.began) is True:
                found.append((tensor.id, asked))
    return found
