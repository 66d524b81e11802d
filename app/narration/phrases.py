"""The phrases that sentences contain: the names of tensors, Nodes, gradients and saved tensors."""

from collections.abc import Iterable, Iterator
from heapq import merge

from app.narration.message import Message, message
from app.narration.values import nested, short_name, shown, sizes
from app.trace.index import Index
from app.trace.naming import grad_name
from app.trace.query import MODULE, value_at
from app.trace.records import Contents, Frame, Name, NodeId, SavedTensor, TensorId, Tick, Unknown

FEW_NAMES = 100
"""Number of names of one Tensor above which only the names in running calls are examined."""

MOST_GRADS = 8
"""Maximum length of a chain of `.grad.grad…` in a name."""


def label(index: Index, tensor: TensorId | None, tick: Tick) -> str:
    """The plainest name of a Tensor at a tick; "" if no name leads to the Tensor, not even a name like `w.grad`.

    For a variable of a function, the name is followed by the name of the function.
    """
    return _label(index, tensor, tick, [])


def _label(index: Index, tensor: TensorId | None, tick: Tick, asked: list[TensorId]) -> str:
    """The same as `label`.

    `asked` has the Tensors whose gradients the recursion is naming, because `a.grad` may be `a` itself.
    """
    if tensor is None:
        return ""
    name = next(names_at(index, tensor, tick), None)
    if name is not None:
        return index.text_of(name)
    if len(asked) < MOST_GRADS:
        for owner in _owners(index, tensor, tick):
            text = "" if owner in asked or owner == tensor else _label(index, owner, tick, [*asked, tensor])
            if text:
                return grad_name(text)
    return ""


def grad_label(index: Index, owner: TensorId, tick: Tick) -> str:
    """The name of a Tensor's `grad`, such as `w.grad`; "" if the Tensor has no name."""
    text = label(index, owner, tick)
    return grad_name(text) if text else ""


def grad_of(index: Index, tensor: TensorId, tick: Tick) -> str:
    """The name of a Tensor as the `grad` of another Tensor.

    "" if the Tensor is not a `grad`, or if the other Tensor has no name.
    """
    return next((grad_name(text) for owner in _owners(index, tensor, tick) if (text := label(index, owner, tick))), "")


def is_grad_only(index: Index, tensor: TensorId, tick: Tick) -> bool:
    """Whether the only description of a Tensor is "the `grad` of another Tensor", because no name leads to the Tensor."""
    return next(names_at(index, tensor, tick), None) is None


def names_at(index: Index, tensor: TensorId, tick: Tick) -> Iterator[Name]:
    """The names that lead to a Tensor at a tick, in the calls that are running at this tick, plainest first."""
    names: Iterable[Name] = index.plainest_of.get(tensor, [])
    if len(index.plainest_of.get(tensor, [])) > FEW_NAMES:  # for example, the tensor is an argument of thousands of calls
        of_frames = (index.plainest_in.get((tensor, frame), []) for frame in index.frames_at(tick))
        names = merge(*of_frames, key=lambda name: index.plainness(name, tensor))
    for name in names:
        if value_at(name.tensor, tick) == tensor and runs(index.trace.frames[name.frame], tick):
            yield name


def runs(frame: Frame, tick: Tick) -> bool:
    """Whether a call is running at a tick. The frame of the module counts as always running."""
    return frame.id == MODULE or frame.ended is None or frame.ended >= tick  # `frame.ended` is the last tick of the call


def _owners(index: Index, grad: TensorId, tick: Tick) -> Iterator[TensorId]:
    for since, owner in index.owners.get(grad, []):
        record = index.trace.tensors[owner]
        if since <= tick and value_at(record.grad, tick) == grad and (record.died is None or record.died > tick):
            yield owner


def once(index: Index, tensor: TensorId | None) -> str:
    """The name that a Tensor had at some time; "" if the Tensor never had a name."""
    return "" if tensor is None else index.ever_called.get(tensor, "")


def called(index: Index, tensor: TensorId | None, tick: Tick) -> Message:
    """The name of a Tensor.

    If no name leads to the Tensor now, a phrase with an earlier name, because this name may now belong to another Tensor.
    """
    now = label(index, tensor, tick)
    if now:
        return code(now)
    name = once(index, tensor)
    return message("phrase-once", name=name) if name else message("phrase-unnamed")


def code(text: str) -> Message:
    """A code fragment, such as a name or a value."""
    return message("phrase-code", text=text)


def node(index: Index, node_id: NodeId | None) -> Message:
    """A Node with the line on which it was created, because many Nodes have the same name."""
    record = None if node_id is None else index.trace.nodes[node_id]
    line = index.line_of(None if record is None else record.made_by) or 0
    return message("phrase-node", node=short_name("?" if record is None else record.name), line=line)


def gradient(contents: Contents, shape: list[int]) -> Message:
    """A gradient, described by its values if their number is small, else by its shape.

    For a nested tensor the values and the shape are unknown, and `shape` is `[]`.
    """
    value = nested(contents, shape)
    if value is not None:
        return message("phrase-gradient", value=value)
    if not shape and isinstance(contents, Unknown):
        return message("phrase-gradient-unknown")
    return message("phrase-gradient-shape", shape=sizes(shape) if shape else "scalar")


def slot(index: Index, saved: SavedTensor, tick: Tick, *, versioned: bool = True) -> Message:
    """A saved tensor of a Node: its slot, its name, and its version when it was saved."""
    name = label(index, saved.tensor, tick) or once(index, saved.tensor)
    number = None if name or saved.tensor is not None else _number(index, saved)
    is_versioned = versioned and number is None and saved.version is not None
    told = saved.name if name == saved.name or not (name or number) else f"{saved.name} = {name or number}"
    return message("phrase-saved", slot=told, version=(saved.version or 0) if is_versioned else -1)


def _number(index: Index, saved: SavedTensor) -> str | None:
    """The value of a tensor that torch created from a number, such as the 2 in `x * 2`; None for other tensors."""
    geometry = saved.geometry
    return shown(index.trace, geometry, saved.tick) if geometry.storage is not None and not geometry.shape else None


def codes(texts: Iterable[str]) -> list[Message]:
    """The distinct names of a list, formatted as code."""
    return [code(text) for text in dict.fromkeys(texts)]
