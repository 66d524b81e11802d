"""The phrases that sentences are made of: what a tensor is called, a Node, a gradient, a slot."""

from collections.abc import Iterable, Iterator

from app.narration.facts import plainness
from app.narration.message import Message, message
from app.narration.values import nested, short_name, sizes
from app.trace.index import Index
from app.trace.query import MODULE, value_at
from app.trace.records import Contents, Frame, Name, NodeId, SavedTensor, TensorId, Tick

FEW_NAMES = 100
"""Of one Tensor; where there are more, only those of the calls under way are looked at."""


def label(index: Index, tensor: TensorId | None, tick: Tick) -> str:
    """What a Tensor is called at a moment, as plainly as can be; "" when no name leads to it, not even `w.grad`.

    Behind the name of a function's variable stands which function.
    """
    path, function = _path(index, tensor, tick)
    return path + function


def grad_label(index: Index, owner: TensorId, tick: Tick) -> str:
    """What the `grad` of a Tensor is called by way of it; "" when no name leads to the Tensor."""
    path, function = _path(index, owner, tick)
    return f"{path}.grad{function}" if path else ""


def _path(index: Index, tensor: TensorId | None, tick: Tick) -> tuple[str, str]:
    seen: list[TensorId] = []
    while tensor is not None and tensor not in seen:
        names = list(names_at(index, tensor, tick))
        if names:
            plainest = min(names, key=plainness)
            return plainest.path + ".grad" * len(seen), _function(index, plainest)
        seen.append(tensor)
        tensor = _owner(index, tensor, tick)
    return "", ""


def written(index: Index, name: Name) -> str:
    """A name as it is told: behind that of a function's variable stands which function."""
    return name.path + _function(index, name)


def _function(index: Index, name: Name) -> str:
    return "" if name.frame == MODULE else f" · {index.trace.frames[name.frame].function}"


def is_grad_only(index: Index, tensor: TensorId, tick: Tick) -> bool:
    """Whether a Tensor is known as the `grad` of another alone."""
    return next(names_at(index, tensor, tick), None) is None


def names_at(index: Index, tensor: TensorId, tick: Tick) -> Iterator[Name]:
    """The names of the calls under way that lead to a Tensor at a moment."""
    names = index.names_of.get(tensor, [])
    if len(names) > FEW_NAMES:  # an argument of each of thousands of calls
        names = [name for frame in index.frames_at(tick) for name in index.names_by_frame.get((tensor, frame), [])]
    for name in names:
        if value_at(name.tensor, tick) == tensor and _runs(index.trace.frames[name.frame], tick):
            yield name


def _runs(frame: Frame, tick: Tick) -> bool:
    return frame.id == MODULE or frame.ended is None or frame.ended >= tick


def _owner(index: Index, grad: TensorId, tick: Tick) -> TensorId | None:
    for since, owner in index.owners.get(grad, []):
        record = index.trace.tensors[owner]
        if since <= tick and value_at(record.grad, tick) == grad and (record.died is None or record.died > tick):
            return owner
    return None


def once(index: Index, tensor: TensorId | None) -> str:
    """What a Tensor was ever called; "" when it never had a name."""
    if tensor is None:
        return ""
    for _, owner in index.owners.get(tensor, []):
        if not index.name_of(tensor) and index.name_of(owner):
            return f"{index.name_of(owner)}.grad"
    return index.name_of(tensor)


def called(index: Index, tensor: TensorId | None, tick: Tick) -> Message:
    """What a Tensor is called; a name that leads elsewhere by now would tell of the wrong one, so it is told as what it was."""
    now = label(index, tensor, tick)
    if now:
        return code(now)
    name = once(index, tensor)
    return message("phrase-once", name=name) if name else message("phrase-unnamed")


def code(text: str) -> Message:
    """A piece of code: a name, a value."""
    return message("phrase-code", text=text)


def node(index: Index, node_id: NodeId | None) -> Message:
    """A Node, and on which line it was made: many have one name."""
    record = None if node_id is None else index.trace.nodes[node_id]
    line = index.line_of(None if record is None else record.made_by) or 0
    return message("phrase-node", node=short_name("?" if record is None else record.name), line=line)


def gradient(contents: Contents, shape: list[int]) -> Message:
    """Small values as they are, else the shape."""
    value = nested(contents, shape)
    if value is not None:
        return message("phrase-gradient", value=value)
    return message("phrase-gradient-shape", shape=sizes(shape) if shape else "scalar")


def slot(index: Index, saved: SavedTensor, tick: Tick, *, versioned: bool = True) -> Message:
    """What a Node saved: the slot, whose tensor it is, and its version then."""
    name = label(index, saved.tensor, tick) or once(index, saved.tensor)
    version = saved.version if versioned and saved.version is not None else -1
    return message("phrase-saved", slot=f"{saved.name} = {name}" if name else saved.name, version=version)


def codes(texts: Iterable[str]) -> list[Message]:
    """Names in a row, each once."""
    return [code(text) for text in dict.fromkeys(texts)]
