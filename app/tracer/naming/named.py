"""Records the Names that lead to tensors, and which of them lead to buffers of modules."""

import torch

from app.trace.clipping import clip
from app.tracer.naming.dict_keys import called
from app.tracer.naming.names import Found, Keyed
from app.tracer.statements.activation import Activation, Named, Reached
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.trace_writer import Tables

Walked = tuple[str, Reached | None, Found]
"""A variable, what it reaches now (None if it no longer exists), and the paths that the last walk found."""


class NameRecords:
    """Records the Names of a trace, and which of them lead to buffers."""

    def __init__(self, tables: Tables, memory: MemoryWatch) -> None:
        self._tables = tables
        self._memory = memory
        self._ids: dict[tuple[int, str, int | None], int] = {}
        self._buffers: set[int] = set()
        """The Names that lead to a buffer according to their last fact."""

    def record(self, activation: Activation, module: Activation, walked: list[Walked]) -> None:
        """Record the Names of walked variables at the tick at which the statement ended.

        Paths that contain a Tensor as a key are recorded last, when the name of the key in this frame or in the module is known.
        """
        waiting: list[tuple[Reached, Named, Found]] = []
        for variable, reached, found in walked:
            before = activation.reached.get(variable)
            left = {} if before is None or before is reached else before.names
            keyed: Found = []
            if reached is None:
                del activation.reached[variable]
            else:
                activation.reached[variable] = reached
                reached.since = len(self._memory.died)
                for path, tensor, is_buffer in found:
                    if isinstance(path, Keyed):
                        keyed.append((path, tensor, is_buffer))
                    else:
                        self._record(activation, reached, left, (path, None), tensor, is_buffer)
            if keyed and reached is not None:
                waiting.append((reached, left, keyed))
            else:
                self.forget(left)
        for reached, left, keyed in waiting:
            self._record_keyed([activation, module], reached, left, keyed)
            self.forget(left)

    def forget(self, names: Named) -> None:
        """Record that the Names with these ids no longer lead to a Tensor."""
        for serial, _ in names.values():
            self._tables.names.fact(serial, "tensor", self._tables.tick, None)

    def _record_keyed(self, frames: list[Activation], reached: Reached, left: Named, keyed: Found) -> None:
        paths = [(path, tensor, is_buffer) for path, tensor, is_buffer in keyed if isinstance(path, Keyed)]
        names = called(self._memory, frames, [path for path, _, _ in paths])
        for path, tensor, is_buffer in paths:
            key = self._memory.known(path.key.tensor)
            name = None if key is None else names.get(key.serial)
            if key is not None and path.after is not None:
                written = path.written(name or path.of_key), key.serial
                self._record(frames[0], reached, left, written, tensor, is_buffer)
            elif name is None:
                self._record(frames[0], reached, left, (path.of_key, None), tensor, is_buffer)

    def _record(
        self,
        activation: Activation,
        reached: Reached,
        left: Named,
        path: tuple[str, int | None],
        tensor: torch.Tensor,
        is_buffer: bool,
    ) -> None:
        seen = self._memory.known(tensor)
        if seen is None:
            return
        if seen.serial not in reached.serials:
            reached.serials.add(seen.serial)
            reached.seen.append(seen)
        name, tensor_id = left.pop(path, (-1, -1))
        if name < 0:
            name = self._id(activation.frame, *path)
        if tensor_id != seen.serial:
            self._tables.names.fact(name, "tensor", self._tables.tick, seen.serial)
        if is_buffer is not (name in self._buffers):
            self._buffers ^= {name}
            self._tables.names.fact(name, "is_buffer", self._tables.tick, is_buffer)
        reached.names[path] = name, seen.serial

    def _id(self, frame: int, path: str, key: int | None) -> int:
        known = frame, path, key
        serial = self._ids.get(known)
        if serial is None:
            serial = self._ids[known] = self._tables.names.add(path=clip(path), frame=frame, key=key)
        return serial
