"""Sees storages handed out by DLPack: whoever gets one may write it behind torch's back."""

from collections.abc import Callable

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.memory import MemoryWatch


class ExposureWatch:
    """Stands where tensors are handed out by DLPack."""

    def __init__(self, memory: MemoryWatch, guard: Guard) -> None:
        self.guard = guard
        self._memory = memory

    def install(self) -> Callable[[], None]:
        """Returns what undoes it."""
        return adapter.patch_dlpack(self._handed_out)

    @guarded
    def _handed_out(self, tensor: torch.Tensor) -> None:
        with adapter.unseen_operators(), torch._C.DisableTorchFunction():
            self._memory.storages.expose(tensor)
