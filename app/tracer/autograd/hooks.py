"""Observes hooks on tensors and `retain_grad()`."""

from typing import Any

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.naming.variables import described
from app.tracer.observer import Observer
from app.tracer.patching import Patching


class HookWatch(Patching):
    """Wraps the methods that register hooks on tensors, because torch does not list the hooks later."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self._observer = observer

    def install(self) -> None:
        """`remove` undoes it."""
        self.undo = [adapter.patch_hooks(self._put_on)]

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
