"""Helpers for the tests of the adapter: a recorder of operator calls, and sample tensors."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from app.tracer import adapter


class Seen:
    """A handler for `seen_operators` that records each operator call with its arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.calls.append((func, args, kwargs))
        return adapter.run_operator(keyset, func, args, kwargs)

    @property
    def names(self) -> list[str]:
        return [func._schema.name.removeprefix("aten::") for func, _, _ in self.calls]


@contextmanager
def seen_operators() -> Iterator[Seen]:
    seen = Seen()
    with adapter.seen_operators(seen):
        yield seen


def leaf() -> torch.Tensor:
    return torch.arange(1.0, 5.0).reshape(2, 2).requires_grad_()


def inference() -> torch.Tensor:
    with torch.inference_mode():
        return torch.ones(2)


def jit_graph(body: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated
        trace: Any = torch.jit.trace
        return trace(body, (torch.ones(2),), check_trace=False).graph
