"""Observes unrecorded backwards: the gradients that Nodes receive and send, and the slots that are freed.

Nothing of Stepgrad is imported here, so this is independent evidence.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from tests.tracer.differential import flat

FREED = "after they have already been freed"
OUTDATED = "modified by an inplace operation"

UNPACKED = ("saved_tensors_hooks", "save_on_cpu", "checkpoint", "ctx.")
"""If a snippet contains one of these, reading a Node's saved tensors may run code of the snippet."""


class Flowing:
    """Collects the Nodes that ran in each backward, with their gradients and the slots that were freed at its end."""

    def __init__(self, source: str) -> None:
        self.is_asked_for_saved = not any(word in source for word in UNPACKED)
        self._is_heard = "hook" not in source  # hooks of the snippet change the gradients
        self.ran: list[dict[str, Any]] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Observe every backward while the context is entered."""
        import torch

        autograd: Any = torch.autograd
        run = autograd._engine_run_backward
        autograd._engine_run_backward = partial(self._follow, run)
        try:
            yield
        finally:
            autograd._engine_run_backward = run

    def _follow(self, run: Callable[..., Any], roots: Iterable[Any], *others: Any, **words: Any) -> Any:
        import torch

        roots = tuple(roots)
        if not self._is_heard or torch._C._functorch.peek_interpreter_stack() is not None:
            return run(roots, *others, **words)
        ran: dict[Any, dict[str, Any]] = {}
        with ExitStack() as hooks:
            for node in reachable(getattr(root, "grad_fn", None) for root in roots):
                if node.name() != "torch::autograd::AccumulateGrad":
                    hooks.callback(node.register_prehook(partial(_received, ran, node)).remove)
                    hooks.callback(node.register_hook(partial(_sent, ran, node)).remove)
            try:
                return run(roots, *others, **words)
            finally:
                for node, told in ran.items():
                    told["freed"] = slots(node, FREED) if self.is_asked_for_saved else None
                self.ran += ran.values()

    def outdated(self, tensors: Iterable[Any]) -> list[list[Any]] | None:
        """Return each Node behind some tensors, with the slots that torch refuses to unpack; None if unpacking may run the
        snippet's code.
        """
        if not self.is_asked_for_saved:
            return None
        return [[node.name(), slots(node, OUTDATED), slots(node, "")] for node in reachable(each.grad_fn for each in tensors)]


def _received(ran: dict[Any, dict[str, Any]], node: Any, gradients: tuple[Any, ...]) -> None:
    ran[node] = {"name": node.name(), "received": [*map(numbers, gradients)], "sent": []}


def _sent(ran: dict[Any, dict[str, Any]], node: Any, gradients: tuple[Any, ...], received: tuple[Any, ...]) -> None:
    targets = [None if target is None else target.name() for target, _ in node.next_functions]
    ran[node]["sent"] = [[numbers(each), target] for each, target in zip(gradients, targets, strict=False)]


def reachable(roots: Iterable[Any]) -> list[Any]:
    """Return the Nodes that a backward from these roots may reach, each once."""
    found: dict[Any, None] = {}
    pending = [root for root in roots if root is not None]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += [target for target, _ in node.next_functions if target is not None]
    return list(found)


def numbers(gradient: Any) -> list[str] | None:
    """Return the values of a gradient; None for a missing gradient."""
    return None if gradient is None else flat(gradient)


def slots(node: Any, said: str) -> list[str]:
    """Return the slots of a Node whose unpacking raises an error with this text; with "", the slots that unpack to tensors."""
    found = []
    for name in dir(node):
        if not name.startswith("_saved_"):
            continue
        try:
            value = getattr(node, name)
        except RuntimeError as error:
            if said and said in str(error):
                found.append(name.removeprefix("_saved_"))
        else:
            if not said and hasattr(value, "grad_fn"):
                found.append(name.removeprefix("_saved_"))
    return found
