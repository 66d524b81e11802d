"""Torch's error messages about a saved tensor that was written: copied from the error of a small tensor, with other facts."""

import re
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_TENSOR = "[torch.FloatTensor [1]], which is output 0 of Exp"
_VERSIONS = "version 1; expected version 0"
_OUTPUT = "Output 0 of Split"


def outdated(tensor: Tensor, expected: int | None, maker: str | None, output: int) -> str:
    """Say that the version counter of a tensor is not `expected`. `maker` is the Node that returned it, None for a leaf."""
    said = _said(_write_what_was_saved)
    made = "" if maker is None else f", which is output {output} of {_as_named(maker, said, 'Exp')},"
    facts = f"[{tensor.type()} {list(tensor.shape)}]{made}"
    said = re.sub(rf"{re.escape(_TENSOR)}\w*,", lambda _: facts, said)
    return said.replace(_VERSIONS, f"version {tensor._version}; expected version {expected}")


def of_several_views(maker: Any, output: int) -> str:
    """Say that the base of a view was written, where the function that returned the view returned others too."""
    said = _said(_write_the_base_of_two)
    return re.sub(rf"{_OUTPUT}\w*", f"Output {output} of {_as_named(maker.name(), said, 'Split')}", said)


def _as_named(maker: str, said: str, example: str) -> str:
    """The name of a Node as this torch writes it: 2.13 writes `Exp` for `ExpBackward0`."""
    return maker if f"{example}Backward0" in said else re.sub(r"Backward[0-9]*$", "", maker)


def _write_what_was_saved() -> None:
    written = torch.ones(1, requires_grad=True).exp()
    written.add_(1)
    written.backward()  # type: ignore[no-untyped-call]


def _write_the_base_of_two() -> None:
    base = torch.ones(2, requires_grad=True) * 1
    view, _ = base.chunk(2)
    base.add_(1)
    view.grad_fn  # noqa: B018


def _said(refused: Callable[[], None]) -> str:
    """Return the message of the error that a function raises on a thread without hooks and modes. Anomaly mode changes its hint."""
    said: list[str] = []

    def ask() -> None:
        try:
            refused()
        except RuntimeError as error:
            said.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return said[0]
