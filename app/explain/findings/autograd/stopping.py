"""The fix for a GAN in which both losses use the same `fake`: `fake.detach()` in the first loss.

Offered only if the updates between the two backwards change leaves of the first loss, but none that computed `fake`.
"""

import ast

from app.explain.findings.shared_memory import changes
from app.explain.reading.graph_walks import below
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import NodeId, Step, TensorId, Tick


def stopped(reading: Reading, common: NodeId, first: Step, second: Step) -> str | None:
    """`D(fake)` → `D(fake.detach())` in the first forward pass; None unless the updates in between show that the fix is intended.

    The updates between the two backwards show it if they changed leaves of the first loss, but none from which the shared
    tensor was computed.
    """
    freeing = reading.statement_of(first.id)
    ran = [] if freeing is None else reading.nodes_run.get(freeing.id, [])
    behind = below(reading, [common])
    leaves = [leaf for node in ran if node not in behind and (leaf := reading.trace.nodes[node].variable) is not None]
    theirs = [leaf for node in behind if (leaf := reading.trace.nodes[node].variable) is not None]
    if not any(changed_between(reading, leaf, first.began, second.began) for leaf in leaves):
        return None
    if not theirs or any(changed_between(reading, leaf, first.began, second.began) for leaf in theirs):
        return None
    results = set(reading.results.get(common, []))
    uses: dict[int, ast.Name] = {}
    for node in ran:
        if any(edge is not None and edge.node == common for edge in reading.trace.nodes[node].edges):
            maker = reading.trace.nodes[node].made_by
            found = [] if maker is None else _names(reading, reading.trace.steps[maker], results)
            if not found:
                return None
            uses |= {id(name): name for name in found}
    return with_replaced(reading.trace.source, [(name, f"{name.id}.detach()") for name in uses.values()]) if uses else None


def changed_between(reading: Reading, leaf: TensorId, since: Tick, until: Tick) -> bool:
    """Whether bytes of a Tensor were changed between two ticks."""
    return any(True for _ in changes(reading, reading.geometry_at(leaf, since), since, until))


def _names(reading: Reading, step: Step, tensors: set[TensorId]) -> list[ast.Name]:
    """The variables in the expression of a step that hold one of these tensors."""
    piece = reading.node_at(step.span)
    names = [node for node in reading.syntax.walk(piece) if isinstance(node, ast.Name)]
    return [name for name in names if reading.named(name.id, step.frame, step.began) in tensors]
