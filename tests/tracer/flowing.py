"""Observe backward passes without a recorder: the gradients that each Node receives and returns, and its freed saved tensors.

This module imports nothing of Stepgrad, so its results are independent of the code under test.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from tests.tracer.differential import flat

FREED = "after they have already been freed"
OUTDATED = "modified by an inplace operation"

UNPACKED = ("saved_tensors_hooks", "save_on_cpu", "checkpoint", "ctx.")
"""If a snippet contains one of these words, unpacking a saved tensor may run code of the snippet."""


class Flowing:
    """Records the Nodes that run in each backward, with their gradients and the saved tensors that are free afterwards."""

    def __init__(self, source: str) -> None:
        self.is_asked_for_saved = not any(word in source for word in UNPACKED)
        self._is_heard = "hook" not in source  # hooks of a snippet can change gradients
        self.ran: list[dict[str, Any]] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Observe every backward within this context."""
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
        """Return the Nodes behind these tensors, with the names of the saved tensors that torch refuses to unpack.

        Return None if unpacking may run code of the snippet.
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
    """Return the Nodes that a backward from these roots can reach."""
    found: dict[Any, None] = {}
    pending = [root for root in roots if root is not None]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += [target for target, _ in node.next_functions if target is not None]
    return list(found)


def numbers(gradient: Any) -> list[str] | None:
    return None if gradient is None else flat(gradient)


def slots(node: Any, said: str) -> list[str]:
    """Return the names of a Node's saved tensors whose unpacking raises an error that contains `said`.

    If `said` is empty, return the names of those that torch unpacks.
    """
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
