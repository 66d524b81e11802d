"""What is told of what autograd remembers: Nodes that were recorded, what they saved, what became stale."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, code, node, slot
from app.narration.values import short_name
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import ModuleId, Node, Tick


def recorded(index: Index, facts: Facts) -> Iterator[list[Message]]:
    """Each Node that autograd recorded, what it saved, and which Nodes its gradients will go to. A list is one line."""
    for record in facts.nodes:
        if record.variable is not None:
            continue
        saved = index.saved_by.get(record.id, [])
        if saved:
            slots = [slot(index, each, facts.until) for each in saved]
            told = message(
                "story-recorded-saved", node=short_name(record.name), module=_path(index, record.module), saved=slots
            )
        else:
            nodes = [code(short_name(record.name))]
            told = message("story-recorded", nodes=nodes, count=1, hooked="yes" if _is_hooked(index, record) else "no")
        further = _next(index, record, facts.until)
        yield [told, message("text-next", next=further)] if further else [told]


def _is_hooked(index: Index, record: Node) -> bool:
    """Whether hooks took what a Node saved: of what they keep instead nothing is known."""
    return record.made_by is not None and index.trace.steps[record.made_by].saved_tensors_hooks == "active"


def _next(index: Index, record: Node, tick: Tick) -> list[Message]:
    found: dict[str, Message] = {}
    for edge in record.edges:
        if edge is not None:
            leaf = index.leaf_of(edge.node)
            told = node(index, edge.node) if leaf is None else message("transcript-leaf", name=called(index, leaf, tick))
            found[repr(told)] = told
    return list(found.values())


def _path(index: Index, module: ModuleId | None) -> str:
    """`model.layers.0`; a module that nothing has under a name goes by its class; "none" outside of all."""
    names = []
    while module is not None:
        record = index.trace.modules[module]
        names.append(record.name or record.type)
        module = record.parent
    return ".".join(reversed(names)) or "none"


def stale(index: Index, facts: Facts) -> Iterator[Message]:
    """What was saved and changed, while it was still to be used."""
    for saved in facts.spoilt:
        ticks = [fact[0][0] for fact in (saved.outdated, saved.overwritten) if fact]
        gone = [tick for tick in (saved.released, index.trace.nodes[saved.node].freed) if tick is not None]
        if gone and min(gone) <= min(ticks):
            continue
        is_outdated = value_at(saved.outdated, facts.until) is not None
        if not is_outdated and (saved.undecided is not None or value_at(saved.overwritten, facts.until) is None):
            continue
        yield message(
            "story-stale",
            node=node(index, saved.node),
            saved=slot(index, saved, facts.until, versioned=False),
            noticed="yes" if is_outdated else "no",
        )
