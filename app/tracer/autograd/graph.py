"""Watches the autograd graph: Nodes, their edges, and their saved tensors (`saves.py`)."""

from typing import Any

import torch

from app.trace.clipping import clip
from app.trace.codec import LARGEST
from app.trace.records import Edge, GradFn, Metadata
from app.tracer import adapter
from app.tracer.autograd.modules import ModuleWatch
from app.tracer.autograd.saves import SaveWatch
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenTensor, WatchedRef, refused, watch
from app.tracer.trace_writer import Tables

_ACCUMULATE_GRAD = "torch::autograd::AccumulateGrad"
_NO_SEQUENCE = 2**64 - 1
"""The sequence number that every AccumulateGrad reports."""


class Token:
    """Identifies a C++ Node. The Node's `metadata` contains the token, which dies with the Node. The Python wrapper of a Node
    cannot identify it, because a Node may get a new wrapper."""

    __slots__ = ("__weakref__", "recording", "serial")

    def __init__(self, recording: object) -> None:
        self.serial = -1
        self.recording = recording
        """The recording to which `serial` belongs, because Nodes of an earlier recording in this process may still be alive."""


class _New:
    """A Node that is not recorded yet, with its attributes, which are read only once."""

    __slots__ = ("following", "is_leaf", "name", "node", "sequence_nr", "token", "tokens")

    def __init__(self, node: Any, token: Token) -> None:
        self.node = node
        self.token = token
        self.name: str = node.name()
        self.is_leaf = self.name == _ACCUMULATE_GRAD
        self.sequence_nr = int(node._sequence_nr())
        self.following = node.next_functions
        self.tokens: list[Token | None] = []
        """For each edge in `following`, the token of the Node at its end; None if that Node was new when this Node was found."""


class GraphWatch:
    """Records new Nodes and the deaths of Nodes."""

    def __init__(self, tables: Tables, memory: MemoryWatch, modules: ModuleWatch) -> None:
        self._tables = tables
        self._modules = modules
        self._memory = memory
        self._recording = object()
        self._leaf_nodes: dict[int, int] = {}
        self._leaves: dict[int, SeenTensor] = {}
        self._tokens: dict[int, WatchedRef] = {}
        self.freed: list[WatchedRef] = []
        """References to tokens of Nodes that died since the last `flush_deaths`."""
        self.saves = SaveWatch(tables, memory)
        self._numbered = 0
        self.edges: dict[int, list[Edge | None]] = {}
        """`next_functions` of every live Node, for observing gradients."""

    def attach(self, tensor: torch.Tensor, seen: SeenTensor, made_by: int | None) -> None:
        """Record the `grad_fn` of a tensor, and every new Node reachable from it.

        Reading `grad_fn` creates a new Node for a view whose base was written. Call this method once per step, and never below
        autograd.
        """
        grad_fn: Any
        node: Any
        try:
            node = tensor.grad_fn
            if node is None:
                grad_fn = None
            else:
                token = node.metadata.get(adapter.TOKEN)
                known = type(token) is Token and token.recording is self._recording
                grad_fn = (token.serial if known else self._walk(node, made_by)), tensor.output_nr
        except RuntimeError as refusal:
            grad_fn = refused(refusal)
        if seen.grad_fn != grad_fn:
            seen.grad_fn = grad_fn
            fact = GradFn(node=grad_fn[0], output_nr=grad_fn[1]) if type(grad_fn) is tuple else grad_fn
            self._tables.tensors.fact(seen.serial, "grad_fn", self._tables.tick, fact)

    def awaits(self, seen: SeenTensor) -> bool:
        """Whether some saved tensors of this tensor's Node were not yet set when the Node was first seen (see `complete`)."""
        return type(seen.grad_fn) is tuple and self.saves.awaits(seen.grad_fn[0])

    def node(self, node: Any, made_by: int | None) -> int:
        """Return the id of a Node. At first sight, records the Node and all new Nodes that can be reached from it."""
        known = self._token(node)
        return self._walk(node, made_by) if known is None else known.serial

    def _walk(self, node: Any, made_by: int | None) -> int:
        """Record a new Node and all new Nodes that can be reached from it, and return the id of `node`. The walk is iterative,
        because graphs are deep."""
        found: list[_New] = []
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if found and self._token(current) is not None:
                continue  # found twice
            token = current.metadata[adapter.TOKEN] = Token(self._recording)
            new = _New(current, token)
            found.append(new)
            for following, _ in new.following:
                known = None if following is None else self._token(following)
                new.tokens.append(known)
                if known is None and following is not None:
                    waiting.append(following)
        root = found[0].token
        # Nodes get ids in order of creation, leaves first, so that ids and the picture do not depend on the order of the walk.
        if len(found) > 1:
            found.sort(key=lambda new: (not new.is_leaf, new.sequence_nr))
        for new in found:
            self._number(new)
        for new in found:
            if new.token.serial not in self.edges:
                self._record(new, made_by)
        return root.serial

    def leaf(self, node: int) -> SeenTensor | None:
        """Return the leaf into which a Node accumulates; None for other Nodes."""
        return self._leaves.get(node)

    def flush_deaths(self) -> None:
        """Record the deaths of Nodes since the last call, and the end of these Nodes' saved tensors."""
        while self.freed:
            serial = self.freed.pop().serial
            self.saves.forget_node(serial)
            self._tables.nodes.mark(serial, "freed", self._tables.tick)
            self._tokens.pop(serial, None)
            self.edges.pop(serial, None)

    def _token(self, node: Any) -> Token | None:
        token = node.metadata.get(adapter.TOKEN)
        return token if type(token) is Token and token.recording is self._recording else None

    def _number(self, new: _New) -> None:
        """Assign an id to a new Node.

        The leaf identifies an AccumulateGrad, because torch creates a new AccumulateGrad when no graph holds the old one.
        """
        token = new.token
        if new.is_leaf:
            leaf = self._memory.observe(new.node.variable)
            known = self._leaf_nodes.get(leaf.serial)
            if known is not None:
                token.serial = known
                return
            self._leaf_nodes[leaf.serial] = self._numbered
            self._leaves[self._numbered] = leaf
        token.serial = serial = self._numbered
        self._numbered += 1
        if not new.is_leaf:
            self._tokens[serial] = watch(token, serial, self.freed.append)

    def _record(self, new: _New, made_by: int | None) -> None:
        edges: list[Edge | None] = []
        for (following, input_nr), token in zip(new.following, new.tokens, strict=True):
            if following is None:
                edges.append(None)
            else:
                met: Any = token or following.metadata[adapter.TOKEN]
                edges.append(Edge(node=met.serial, input_nr=input_nr))
        serial = new.token.serial
        self.edges[serial] = edges
        self._tables.nodes.add(
            name=clip(new.name),
            born=self._tables.tick,
            made_by=made_by,
            sequence_nr=None if new.sequence_nr == _NO_SEQUENCE else new.sequence_nr,
            edges=edges,
            inputs=_inputs(new.node),
            variable=self._memory.observe(new.node.variable).serial if new.is_leaf else None,
            module=None if new.sequence_nr == _NO_SEQUENCE else self._modules.of_node(new.sequence_nr),
            scalars={} if new.is_leaf else adapter.saved_scalars(new.node),
        )
        if not new.is_leaf:
            self.saves.record_all(new.node, serial)

    def complete(self, tensor: torch.Tensor) -> None:
        """Record the saved tensors of a tensor's Node that were not yet set when the Node was first seen (`SaveWatch.awaits`)."""
        node = tensor.grad_fn
        token = None if node is None else self._token(node)
        if token is not None and self.saves.awaits(token.serial):
            self.saves.record_all(node, token.serial)


def _inputs(node: Any) -> list[Metadata | None]:
    try:
        return [_metadata(entry) for entry in node._input_metadata]
    except (RuntimeError, AttributeError):
        return []


def _metadata(entry: Any) -> Metadata | None:
    """Return the shape and dtype that a Node expects of a gradient; None if a size is symbolic or above LARGEST."""
    shape = list(entry.shape)
    for size in shape:
        if type(size) is not int or size > LARGEST:
            return None
    return Metadata(shape=shape, dtype=adapter.dtype_name(entry.dtype))
