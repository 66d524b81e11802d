"""Records the tangents of tensors inside a `dual_level()` (forward-mode differentiation)."""

import torch

from app.tracer import adapter
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenTensor
from app.tracer.trace_writer import Tables


class TangentWatch:
    """Records tangents. Outside of a `dual_level()`, the class costs one comparison per reading."""

    def __init__(self, tables: Tables, memory: MemoryWatch) -> None:
        self._tables = tables
        self._memory = memory
        self._known: dict[int, tuple[SeenTensor, int]] = {}
        """Each tensor with a recorded tangent and the id of the tangent, by the id of the tensor."""

    def may_have_changed(self) -> bool:
        """Whether a tangent may differ from its record: a `dual_level()` is open, or tangents of an earlier level are still
        recorded."""
        return bool(self._known) or adapter.forward_level() >= 0

    def look_at(self, seen: SeenTensor, tensor: torch.Tensor) -> torch.Tensor | None:
        """Record the tangent of a tensor, and return the tangent, which must be read, too."""
        level = adapter.forward_level()
        tangent = adapter.tangent_of(tensor, level) if level >= 0 and seen.storage is not None else None
        if tangent is None:
            if self._known.pop(seen.serial, None) is not None:
                self._record(seen, None)
            return None
        serial = self._memory.observe(tangent).serial
        if self._known.get(seen.serial, (seen, None))[1] != serial:
            self._known[seen.serial] = seen, serial
            self._record(seen, serial)
        return tangent

    def end(self) -> None:
        """Record that no tensor has a tangent, if no level is open any more."""
        if adapter.forward_level() < 0:
            for seen, _ in self._known.values():
                if seen.ref() is not None:
                    self._record(seen, None)
            self._known.clear()

    def _record(self, seen: SeenTensor, tangent: int | None) -> None:
        self._tables.tensors.fact(seen.serial, "tangent", self._tables.tick, tangent)
