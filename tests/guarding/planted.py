"""Five small training programs, and eight functions that write a tensor without a change of its version counter."""

import ctypes
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from torch.utils.dlpack import from_dlpack

Write = Callable[[Tensor], None]
Program = Callable[[Write, str], list[Tensor]]
"""Runs a step with a write "before" or "after" backward. Returns the gradients."""


def nothing(_: Tensor) -> None:
    """Write nothing."""


def scale(t: Tensor) -> None:
    """Write through `.data`."""
    t.data.mul_(2)


def swap(t: Tensor) -> None:
    """Exchange two elements. A sum without weights does not change."""
    flat = t.data.view(-1)
    flat[[0, 1]] = flat[[1, 0]]


def permute(t: Tensor) -> None:
    """Rotate all elements."""
    t.data.copy_(t.data.roll(1, -1))


def flip_signs(t: Tensor) -> None:
    """Change the sign of an even number of elements."""
    t.data.view(-1)[:2].neg_()


def fill_array(t: Tensor) -> None:
    """Write through NumPy."""
    t.detach().numpy().fill(0.5)


def add_pair(t: Tensor) -> None:
    """Add 0.25 to one element and subtract it from another, through DLPack."""
    other = from_dlpack(t.detach()).view(-1)
    other[0] += 0.25
    other[1] -= 0.25


def fill_storage(t: Tensor) -> None:
    """Write to the storage."""
    t.untyped_storage().fill_(0)  # type: ignore[attr-defined]


def run_kernel(t: Tensor) -> None:
    """Write to the address of the memory, as a custom kernel does."""
    ctypes.memset(t.data_ptr(), 0, t.nbytes // 2)


WRITES: tuple[Write, ...] = (scale, swap, permute, flip_signs, fill_array, add_pair, fill_storage, run_kernel)


def _gradients(loss: Tensor, written: Tensor, write: Write, when: str, leaves: list[Tensor]) -> list[Tensor]:
    if when == "before":
        write(written)
    loss.backward()  # type: ignore[no-untyped-call]
    if when == "after":
        write(written)
    return [leaf.grad.clone() for leaf in leaves if leaf.grad is not None]


def small(write: Write, when: str) -> list[Tensor]:
    """Two tensors."""
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y = x * 1
    return _gradients((y**4).sum(), y, write, when, [x])


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3), nn.Tanh())


def _weight(model: nn.Sequential) -> Tensor:
    weight = model[2].weight
    assert isinstance(weight, Tensor)
    return weight


def _batch() -> Tensor:
    return torch.linspace(-1, 1, 8).view(2, 4)


def module(write: Write, when: str) -> list[Tensor]:
    """A model's weight."""
    model = _model()
    return _gradients(model(_batch()).sum(), _weight(model), write, when, list(model.parameters()))


def optimizer(write: Write, when: str) -> list[Tensor]:
    """The second step of an optimizer."""
    model = _model()
    adam = torch.optim.Adam(model.parameters(), 0.1)
    model(_batch()).sum().backward()
    adam.step()
    adam.zero_grad()
    return _gradients(model(_batch()).square().sum(), _weight(model), write, when, list(model.parameters()))


def compiled(write: Write, when: str) -> list[Tensor]:
    """A compiled model. Its backend is AOTAutograd without a code generator, so that no C++ compiler is needed."""
    model = _model()
    run: Any = torch.compile(model, backend="aot_eager")
    return _gradients(run(_batch()).sum(), _weight(model), write, when, list(model.parameters()))


def checkpointed(write: Write, when: str) -> list[Tensor]:
    """A checkpoint, which saves nothing but its input."""
    model = _model()
    out = checkpoint(model, _batch().requires_grad_(), use_reentrant=False)
    return _gradients(out.sum(), _weight(model), write, when, list(model.parameters()))


PROGRAMS: tuple[Program, ...] = (small, module, optimizer, compiled, checkpointed)
