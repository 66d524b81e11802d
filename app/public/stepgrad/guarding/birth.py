"""Runs a training step again to find the operator that returned its first NaN or infinity, with its Node and the user's line."""

import random
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from app.tracer.adapter.schemas import written_arguments

from .user_lines import NOT_THE_USERS, user_line

MAKERS = frozenset(
    {"full", "full_like", "masked_fill", "masked_fill_", "fill_", "scalar_tensor", "where", "_local_scalar_dense"}
)
"""Operators that put an infinity where the program asks for it, as a mask of attention does."""


class RandomState:
    """The state of the random numbers of Python, NumPy, torch and each CUDA device."""

    def __init__(self) -> None:
        self._python, self._numpy, self._torch = random.getstate(), np.random.get_state(), torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []  # type: ignore[no-untyped-call]

    def restore(self) -> None:
        """Set all these random number generators to this state."""
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        torch.set_rng_state(self._torch)
        if self._cuda:
            torch.cuda.set_rng_state_all(self._cuda)


class _Born(BaseException):
    """Raised by an operator that returns NaN, to end the repeated step."""


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Ends the step at the first operator that returns NaN, and remembers the first that returns infinity."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.born: dict[str, str | int] | None = None
        self._infinite: dict[str, str | int] | None = None
        self._before: dict[int, tuple[Tensor, Tensor]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = _floats((args, kwargs or {}))
        had_nan = any(bool(each.isnan().any()) for each in given)
        had_inf = any(bool(each.isinf().any()) for each in given)
        for written in written_arguments(func, args, kwargs or {}):
            if id(written) not in self._before:
                self._before[id(written)] = written, written.detach().clone()
        returned = func(*args, **(kwargs or {}))
        name = func._schema.name.removeprefix("aten::")
        if had_nan or name in MAKERS or name.startswith("empty"):
            return returned
        made = _floats(returned)
        if any(bool(each.isnan().any()) for each in made):
            # An operator that takes infinity may return NaN (0 · ∞). Then the operator that returned the infinity is the origin.
            self.born = self._infinite if had_inf and self._infinite is not None else _named(func, "nan", sys._getframe(1))
            raise _Born
        if self._infinite is None and not had_inf and any(bool(each.isinf().any()) for each in made):
            self._infinite = _named(func, "inf", sys._getframe(1))
        return returned

    @property
    def origin(self) -> dict[str, str | int] | None:
        """The operator that returned the first NaN, else the first infinity."""
        return self.born or self._infinite

    def undo(self) -> None:
        """Restore the elements of each tensor that the repeated step wrote. No version counter changes."""
        for written, before in self._before.values():
            if written.shape == before.shape:
                written.data.copy_(before)


def find_birth(step: Callable[[], object], state: RandomState, leaves: Sequence[Tensor]) -> dict[str, str | int] | None:
    """Run a step again from this random state. Return the operator of the first NaN, else of the first infinity, else None.

    The step ends at the first NaN. Then the tensors that it wrote, the gradients of `leaves` and the random numbers are restored.
    An exception of the repeated step is ignored: a step may be unable to run twice, for example because its iterator has ended.
    """
    after, watch = RandomState(), _Watch()
    gradients = [leaf.grad for leaf in leaves]
    state.restore()
    try:
        with torch.autograd.set_detect_anomaly(True, check_nan=False), watch:
            step()
    except (_Born, Exception):
        pass
    finally:
        watch.undo()
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf.grad = gradient
        after.restore()
    return watch.origin


def _floats(values: Any) -> list[Tensor]:
    return [
        each
        for each in tree_leaves(values)
        if isinstance(each, Tensor) and each.layout == torch.strided and (each.is_floating_point() or each.is_complex())
    ]


def _named(func: Any, what: str, frame: Any) -> dict[str, str | int]:
    node: Any = torch._C._current_autograd_node()
    name = "" if node is None else node.name().removeprefix("torch::autograd::")
    line = user_line(frame) if node is None else _forward_line(node.metadata.get("traceback_", []))
    return {"operator": func._schema.name, "node": name, "line": line or "", "what": what}


def _forward_line(stack: list[str]) -> str | None:
    """Return the user's line from the traceback that anomaly mode stored when the Node was created."""
    for text in reversed("".join(stack).splitlines()):
        found = re.match(r'  File "(.*)", line (\d+), in ', text)
        if found is not None and not found[1].startswith(NOT_THE_USERS):
            return f"{found[1]}:{found[2]}"
    return None
