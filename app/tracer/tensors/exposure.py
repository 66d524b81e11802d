"""Observes when memory is exposed to NumPy and by DLPack, after which code may write it without torch."""

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.patching import Patching


class ExposureWatch(Patching):
    """Wraps the methods of tensors that expose memory, so that saved tensors are fingerprinted before a write."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self._observer = observer

    def install(self) -> None:
        """`remove` undoes it."""
        self.undo = [adapter.patch_lending("numpy", self._lent_to_numpy), adapter.patch_lending("__dlpack__", self._lent)]

    @guarded
    def _lent_to_numpy(self, tensor: torch.Tensor) -> None:
        self._observer.lend(tensor, is_marked=True)

    @guarded
    def _lent(self, tensor: torch.Tensor) -> None:
        self._observer.lend(tensor, is_marked=False)
