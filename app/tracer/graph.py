"""Watches the autograd graph: Nodes, their edges, and what each saved at which version."""

from typing import Any

import torch

from app.trace.codec import LARGEST, clip
from app.trace.records import Edge, Geometry, GradFn, Metadata
from app.tracer import adapter, values
from app.tracer.memory import MemoryWatch, extent_of
from app.tracer.modules import ModuleWatch
from app.tracer.seen import SeenCounter, SeenStorage, SeenTensor, WatchedRef, refused, watch
from app.tracer.tables import Tables

_PACKED = "A saved_tensors_hooks of the snippet packed it; torch checks no version there."
_KEPT = "The Function keeps it as an attribute of its ctx, or names it in its backward; torch checks no version there."
_ACCUMULATE_GRAD = "torch::autograd::AccumulateGrad"
Saves = dict[int, dict[int, "SeenSave"]]
"""The live SavedTensors of a Node, a Storage, a counter or a tensor, by their number: thousands of Nodes may save one weight."""
_NO_SEQUENCE = 2**64 - 1
"""What AccumulateGrad reports: it belongs to no moment of the forward pass."""


class Token:
    """Lives in `Node.metadata` and dies with the C++ Node: the identity that its Python wrapper does not give."""

    __slots__ = ("__weakref__", "recording", "serial")

    def __init__(self, recording: object) -> None:
        self.serial = -1
        self.recording = recording
        """Whose number it is: a process may record again while Nodes of an earlier recording live."""


class _New:
    """A Node that was not seen before, while it is recorded: each of its answers is asked for once."""

    __slots__ = ("following", "is_leaf", "name", "node", "sequence_nr", "token", "tokens")

    def __init__(self, node: Any, token: Token) -> None:
        self.node = node
        self.token = token
        self.name: str = node.name()
        self.is_leaf = self.name == _ACCUMULATE_GRAD
        self.sequence_nr = int(node._sequence_nr())
        self.following = node.next_functions
        self.tokens: list[Token | None] = []
        """For each of these the token that it had when this Node was met."""


class SeenSave:
    """A live SavedTensor: where its elements are, nowhere if it is sparse, and which version of which counter it expects."""

    __slots__ = ("begin", "counter", "end", "layout", "outdated", "overwritten", "serial", "storage", "tensor", "version")

    def __init__(self, serial: int, storage: SeenStorage | None, look: adapter.Look) -> None:
        self.serial = serial
        self.storage = storage
        self.begin, self.end = extent_of(look)
        self.layout = layout_of(look)
        self.counter: SeenCounter | None = None
        self.version: int | None = None
        self.tensor: int | None = None
        self.outdated = False
        self.overwritten = False


class GraphWatch:
    """Finds Nodes not seen before, and tells which saved tensors a write makes stale."""

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
        self._saves_of_node: Saves = {}
        self._saves_on_storage: Saves = {}
        self._saves_on_counter: Saves = {}
        self._saves_of_tensor: Saves = {}
        """Torch saves an operator's input as the very Tensor: `.data =` moves the SavedTensor, too (saved_variable.cpp)."""
        self._empty_slots: dict[int, set[str]] = {}
        self._keeping: set[int] = set()
        """Nodes of Functions of which it was told that they keep more than they saved."""
        self.just_written: dict[int, tuple[int, int]] = {}
        """By counter: the version before the operator that settles now wrote, and its first Write."""
        self._numbered = 0
        self.edges: dict[int, list[Edge | None]] = {}
        """`next_functions` of every live Node, for whoever watches gradients travel."""

    def attach(self, tensor: torch.Tensor, seen: SeenTensor, made_by: int | None) -> None:
        """Record `grad_fn` of a tensor, with every Node reachable from it that is new.

        Reading it re-derives the Node of a view whose base was written: call once per step, and never below autograd.
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
        """Whether the Node of this tensor had empty slots when it was first seen: see `complete`."""
        return type(seen.grad_fn) is tuple and seen.grad_fn[0] in self._empty_slots

    def node(self, node: Any, made_by: int | None) -> int:
        """The id of a Node; it and all Nodes behind it are recorded at first sight."""
        known = self._token(node)
        return self._walk(node, made_by) if known is None else known.serial

    def _walk(self, node: Any, made_by: int | None) -> int:
        """Record a Node and those behind it that are not known. Iterative: graphs are deep."""
        found: list[_New] = []
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if found and self._token(current) is not None:
                continue  # met twice
            token = current.metadata[adapter.TOKEN] = Token(self._recording)
            new = _New(current, token)
            found.append(new)
            for following, _ in new.following:
                known = None if following is None else self._token(following)
                new.tokens.append(known)
                if known is None and following is not None:
                    waiting.append(following)
        root = found[0].token
        # In order of creation, leaves first, so that ids and the picture do not depend on how the walk went.
        if len(found) > 1:
            found.sort(key=lambda new: (not new.is_leaf, new.sequence_nr))
        for new in found:
            self._number(new)
        for new in found:
            if new.token.serial not in self.edges:
                self._record(new, made_by)
        return root.serial

    def leaf(self, node: int) -> SeenTensor | None:
        """The leaf that Node `node` accumulates into; None for any other Node."""
        return self._leaves.get(node)

    def flush_deaths(self) -> None:
        """Record the deaths of Nodes noticed since the last time; with a Node go its saved tensors."""
        while self.freed:
            serial = self.freed.pop().serial
            self.release(serial)
            self._tables.nodes.mark(serial, "freed", self._tables.tick)
            self._tokens.pop(serial, None)
            self.edges.pop(serial, None)
            self._empty_slots.pop(serial, None)

    def release(self, node: int) -> None:
        """The Node let go of what it saved."""
        saves = self._saves_of_node.pop(node, None)
        for save in () if saves is None else saves.values():
            self._tables.saved_tensors.mark(save.serial, "released", self._tables.tick)
            if save.storage is not None:
                _remove(self._saves_on_storage, save.storage.serial, save)
            if save.counter is not None:
                _remove(self._saves_on_counter, save.counter.serial, save)
            if save.tensor is not None:
                _remove(self._saves_of_tensor, save.tensor, save)

    def written(
        self,
        write: int,
        storage: SeenStorage,
        changed: tuple[int, int],
        counter: SeenCounter | None,
    ) -> None:
        """Tell the saved tensors on a storage of a write. `changed` is the range of bytes [begin, end) that may differ."""
        on_counter = None if counter is None else self._saves_on_counter.get(counter.serial)
        for save in () if on_counter is None else on_counter.values():
            if not save.outdated and counter is not None and counter.version != save.version:
                save.outdated = True
                self._tables.saved_tensors.fact(save.serial, "outdated", self._tables.tick, write)
        on_storage = self._saves_on_storage.get(storage.serial)
        for save in () if on_storage is None else on_storage.values():
            if not save.overwritten and changed[0] < save.end and save.begin < changed[1] and _differs(save, storage):
                self._overwrite(save, write)

    def is_saved(self, seen: SeenTensor) -> bool:
        """Whether a live SavedTensor is this very Tensor."""
        return bool(self._saves_of_tensor.get(seen.serial))

    def moved(self, write: int, tensor: torch.Tensor, storage: SeenStorage) -> None:
        """The Tensor looks at other elements than when it was saved: so does what saved it."""
        seen = self._memory.known(tensor)
        for save in self._saves_of_tensor.get(-1 if seen is None else seen.serial, {}).values():
            old, new = None if save.storage is None else save.storage.raw, storage.raw
            before = save.layout
            if save.storage is not None:
                _remove(self._saves_on_storage, save.storage.serial, save)
            look = adapter.look_of(tensor)
            save.storage, save.layout = storage, layout_of(look)
            save.begin, save.end = extent_of(look)
            _keep(self._saves_on_storage, storage.serial, save)
            same = None not in (old, new, before, save.layout) and not values.differ(old, before, new, save.layout)  # type: ignore[arg-type]
            if not save.overwritten and not same:
                self._overwrite(save, write)

    def _overwrite(self, save: SeenSave, write: int) -> None:
        save.overwritten = True
        self._tables.saved_tensors.fact(save.serial, "overwritten", self._tables.tick, write)

    def _token(self, node: Any) -> Token | None:
        token = node.metadata.get(adapter.TOKEN)
        return token if type(token) is Token and token.recording is self._recording else None

    def _number(self, new: _New) -> None:
        """Give a Node its id. An AccumulateGrad is remade whenever no graph holds it: its identity is its leaf's."""
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
        )
        if not new.is_leaf:
            self._record_saves(new.node, serial)

    def complete(self, tensor: torch.Tensor) -> None:
        """Read the slots of a tensor's Node that were still empty when it was first seen.

        torch saves an operator's output after it set `grad_fn`, and detaches it for that: an event in the middle of the operator.
        """
        node = tensor.grad_fn
        token = None if node is None else self._token(node)
        if token is not None and token.serial in self._empty_slots:
            self._record_saves(node, token.serial)

    def _record_saves(self, node: Any, serial: int) -> None:
        try:
            slots = list(adapter.raw_saved(node))
        except RuntimeError:  # released before this Node was first seen
            return
        awaited = self._empty_slots.pop(serial, None)
        empty = set()
        for name, saved in slots:
            if awaited is not None and name not in awaited:
                continue
            if saved.unpack_hook is not None:
                if not adapter.is_copy(saved):
                    self._record_unavailable(serial, name, _PACKED)
            elif saved.data is not None:
                self._record_save(node, serial, name, saved.data)
            else:
                empty.add(name)  # not saved yet, or an optional tensor the operator did not get
        if empty:
            self._empty_slots[serial] = empty

    def _record_save(self, node: Any, of_node: int, name: str, tensor: torch.Tensor) -> None:
        memory, tables = self._memory, self._tables
        look = adapter.look_of(tensor)
        storage = memory.storages.storage_of(tensor)
        version = adapter.version_of(tensor)
        known = memory.known(tensor)
        counter = known.counter if known is not None else None
        if counter is None and version is not None:
            counter = memory.counters.counter_of_saved(tensor, storage, version)
        if counter is not None and version is not None:
            memory.counters.count(counter, version)
        # An operator saves its inputs before it writes them: `b.mul_(b)` spoils its own save.
        own_write = self.just_written.get(counter.serial) if counter is not None and self.just_written else None
        if own_write is not None and adapter.is_refused(node, name):
            version = own_write[0]
        else:
            own_write = None
        serial = tables.saved_tensors.add(
            node=of_node,
            name=name,
            tick=tables.tick,
            tensor=known.serial if known is not None else memory.counters.looking_at(look, counter),
            geometry=memory.geometry_of(tensor, look, storage),
            version_counter=None if counter is None else counter.serial,
            version=version,
        )
        save = SeenSave(serial, storage, look)
        save.counter, save.version = counter, version
        if own_write is not None:
            save.outdated = True
            tables.saved_tensors.fact(serial, "outdated", tables.tick, own_write[1])
            self._overwrite(save, own_write[1])
        _keep(self._saves_of_node, of_node, save)
        if storage is not None:
            _keep(self._saves_on_storage, storage.serial, save)
        if counter is not None:
            _keep(self._saves_on_counter, counter.serial, save)
        if known is not None:
            save.tensor = known.serial
            _keep(self._saves_of_tensor, known.serial, save)

    def record_kept(self, node: int) -> None:
        """The Node of a Function whose backward may read more than what it saved, where nobody can keep it as it was."""
        if node not in self._keeping:
            self._keeping.add(node)
            self._record_unavailable(node, "ctx", _KEPT)

    def _record_unavailable(self, node: int, name: str, reason: str) -> None:
        empty = Geometry(
            dtype="",
            device="",
            layout="",
            shape=[],
            stride=None,
            storage_offset=None,
            storage=None,
        )
        self._tables.saved_tensors.add(
            node=node,
            name=name,
            tick=self._tables.tick,
            tensor=None,
            geometry=empty,
            version_counter=None,
            version=None,
            available=False,
            reason=reason,
        )


def layout_of(look: adapter.Look) -> values.Layout | None:
    """Where the elements of a strided tensor that looks so lie; None for any other."""
    _, dtype, shape, stride, first, _, _ = look
    return None if stride is None or first is None else (shape, stride, first, dtype.itemsize)


def _differs(save: SeenSave, storage: SeenStorage) -> bool:
    """Whether the last change of the storage's bytes hit elements of the save; also when that cannot be told."""
    if storage.before is None or storage.raw is None or save.layout is None:
        return True
    return values.differ(storage.before, save.layout, storage.raw, save.layout)


def _keep(saves: Saves, key: int, save: SeenSave) -> None:
    present = saves.get(key)
    if present is None:
        saves[key] = {save.serial: save}
    else:
        present[save.serial] = save


def _remove(saves: Saves, key: int, save: SeenSave) -> None:
    present = saves.get(key, {})
    present.pop(save.serial, None)
    if not present:
        saves.pop(key, None)


def _inputs(node: Any) -> list[Metadata | None]:
    try:
        return [_metadata(entry) for entry in node._input_metadata]
    except (RuntimeError, AttributeError):
        return []


def _metadata(entry: Any) -> Metadata | None:
    """What a Node expects of a gradient; None for symbolic sizes, and for such as no trace can say."""
    shape = list(entry.shape)
    for size in shape:
        if type(size) is not int or size > LARGEST:
            return None
    return Metadata(shape=shape, dtype=adapter.dtype_name(entry.dtype))
