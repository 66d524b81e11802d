"""Sees memory handed out to NumPy and by DLPack: whoever gets it may write it behind torch's back."""

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.patching import Patching


class ExposureWatch(Patching):
    """Stands where tensors hand their memory out. What was saved of it is known before anybody writes it."""

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
