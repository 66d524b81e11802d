"""Sees storages handed out by DLPack: whoever gets one may write it behind torch's back."""

from collections.abc import Callable

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer


class ExposureWatch:
    """Stands where tensors are handed out by DLPack."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        self.guard = guard
        self._observer = observer

    def install(self) -> Callable[[], None]:
        """Returns what undoes it."""
        return adapter.patch_dlpack(self._handed_out)

    @guarded
    def _handed_out(self, tensor: torch.Tensor) -> None:
        with adapter.unseen_operators(), torch._C.DisableTorchFunction():
            self._observer.memory.storages.expose(tensor)
            self._observer.graph.saves.note_exposed()
