"""Observes hooks on tensors, `retain_grad()`, and the exposure of memory to NumPy and DLPack, after which other code may write
this memory."""

from typing import Any

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.naming.variables import described
from app.tracer.observer import Observer
from app.tracer.patching import Patching


class MethodWatch(Patching):
    """Wraps the methods that register hooks, because torch does not list the hooks later, and the methods that expose memory,
    so that saved tensors are fingerprinted before a write."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self._observer = observer

    def install(self) -> None:
        """Install the wrappers until `remove` is called."""
        self.undo = [
            adapter.patch_hooks(self._put_on),
            adapter.patch_lending("numpy", self._lent_to_numpy),
            adapter.patch_lending("__dlpack__", self._lent),
        ]

    @guarded
    def _lent_to_numpy(self, tensor: torch.Tensor) -> None:
        self._observer.lend(tensor, is_marked=True)

    @guarded
    def _lent(self, tensor: torch.Tensor) -> None:
        self._observer.lend(tensor, is_marked=False)

    @guarded
    def _put_on(self, kind: str, tensor: torch.Tensor, function: Any) -> None:
        observer = self._observer
        if observer.threads.is_another():
            return
        observer.settle()
        tick = observer.tables.advance()
        observer.look([tensor])
        seen, held = observer.memory.known(tensor), described(function)
        if seen is not None:
            observer.tables.hooks.add(
                tick=tick,
                step=observer.step,
                tensor=seen.serial,
                kind=kind,
                function=held.text if held.kind == "function" else None,
            )
