"""Sentences about the graph: recorded Nodes, their saved tensors, and saved tensors that became stale."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, code, node, slot
from app.narration.values import short_name
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import ModuleId, Node, Tick


def recorded(index: Index, facts: Facts) -> Iterator[list[Message]]:
    """Yield the sentences for each recorded Node, as one list per line.

    The sentences name the Node's saved tensors, and the Nodes that will receive its gradients.
    """
    several: dict[str, list[Node]] = {}
    for record in facts.nodes:
        if record.variable is None:
            several.setdefault(repr([_recorded(index, record, 1, facts.until), _next(index, record, facts.until)]), []).append(
                record
            )
    for record, *others in several.values():
        told, further = _recorded(index, record, 1 + len(others), facts.until), _next(index, record, facts.until)
        yield [told, message("story-next-each" if others else "text-next", next=further)] if further else [told]


def _recorded(index: Index, record: Node, count: int, tick: Tick) -> Message:
    """One sentence for `count` Nodes that have the same name and the same saved tensors."""
    saved = index.saved_by.get(record.id, [])
    node, is_hooked = short_name(record.name), _is_hooked(index, record)
    if not saved:
        nodes = [code(node) if count == 1 else message("phrase-nodes", node=node, count=count)]
        return message("story-recorded", nodes=nodes, count=count, hooked="yes" if is_hooked else "no")
    is_packed = is_hooked and not any(each.available for each in saved)
    slots = [slot(index, each, tick) for each in saved]
    told = "story-recorded-packed" if is_packed else "story-recorded-saved"
    return message(told, node=node, count=count, module=_path(index, record.module), saved=slots)


def _is_hooked(index: Index, record: Node) -> bool:
    """Whether hooks packed a Node's saved tensors. The recording does not contain the values that the hooks stored."""
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
    """The path of a module, such as `model.layers.0`.

    For a module without a name, the path contains the module's class. "none" if `module` is None.
    """
    names = []
    while module is not None:
        record = index.trace.modules[module]
        names.append(record.name or record.type)
        module = record.parent
    return ".".join(reversed(names)) or "none"


def stale(index: Index, facts: Facts) -> Iterator[Message]:
    """The sentences for saved tensors that changed before backward used them."""
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
