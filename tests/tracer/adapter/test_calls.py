"""The wrappers that the recorder puts around torch's functions, and the stack frames of wrapped calls."""

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from app.tracer import adapter
from tests.tracer.adapter.seen import leaf


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.sum().backward(),
        lambda x: torch.autograd.backward(x.sum()),
        lambda x: torch.autograd.grad(x.sum(), x),
        lambda x: torch.func.grad(lambda y: y.sum())(x.detach()),
    ],
)
def test_patch_engine(run: Callable[[torch.Tensor], Any]) -> None:
    modules: list[Any] = [torch.autograd, torch.autograd.graph]
    before = [module._engine_run_backward for module in modules]
    passed = []

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def engine(*args: Any, **kwargs: Any) -> Any:
            passed.append(args[0])
            return original(*args, **kwargs)

        return engine

    undo = adapter.patch_engine(wrap)
    try:
        run(leaf())
        assert passed
    finally:
        undo()
    assert [module._engine_run_backward for module in modules] == before


def test_patch_swap() -> None:
    utils: Any = torch.utils
    original = utils.swap_tensors
    x, y = torch.ones(2), torch.zeros(3)
    watched = {id(x): weakref.ref(x), id(y): weakref.ref(y)}
    with pytest.raises(RuntimeError, match="weakref"):
        original(x, y)

    @contextmanager
    def around(tensors: tuple[Any, ...]) -> Iterator[None]:
        assert tensors == (x, y) or [id(tensor) for tensor in tensors] == [id(x), id(y)]
        watched.clear()
        yield

    undo = adapter.patch_swap(around)
    try:
        utils.swap_tensors(x, y)
    finally:
        undo()
    assert (x.shape, y.shape) == ((3,), (2,))
    assert utils.swap_tensors is original


def test_called_module() -> None:
    found = []

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            frame = sys._getframe()
            while frame.f_code is not adapter.MODULE_CALL:
                assert frame.f_back is not None
                frame = frame.f_back
            found.append(adapter.called_module(frame))
            return x

    net = Net()
    net(torch.ones(1))
    assert found[0] is net


@pytest.mark.parametrize(
    ("name", "hand_out"),
    [
        ("numpy", lambda tensor: tensor.numpy()),
        ("numpy", lambda tensor: tensor.numpy(force=True)),
        ("numpy", np.asarray),
        ("numpy", lambda tensor: np.add(1, np.ones(3), out=np.asarray(tensor))),
        ("__dlpack__", torch.utils.dlpack.from_dlpack),
        ("__dlpack__", np.from_dlpack),
    ],
)
def test_patch_lending(name: str, hand_out: Callable[[torch.Tensor], Any]) -> None:
    before, method = dict(vars(torch.Tensor)), getattr(torch.Tensor, name)
    lent: list[torch.Tensor] = []
    undo = adapter.patch_lending(name, lent.append)
    x = torch.ones(3)
    assert getattr(torch.Tensor, name) is method
    hand_out(x)
    undo()
    hand_out(x)
    assert lent and all(each is x for each in lent)
    assert dict(vars(torch.Tensor)) == before


def test_what_a_lending_method_raises_has_no_frame_of_ours() -> None:
    undo = adapter.patch_lending("numpy", lambda tensor: None)
    with pytest.raises(RuntimeError) as raised:
        torch.ones(3, requires_grad=True).numpy()
    undo()
    assert len(raised.traceback) == 1


def test_patch_hooks() -> None:
    put_on: list[tuple[str, torch.Tensor, object]] = []
    names = ("register_hook", "register_post_accumulate_grad_hook", "retain_grad")
    originals = [getattr(torch.Tensor, name) for name in names]
    undo = adapter.patch_hooks(lambda *what: put_on.append(what))
    x = torch.ones(3, requires_grad=True)
    x.register_hook(print)  # type: ignore[no-untyped-call]
    x.register_post_accumulate_grad_hook(hook=print)  # type: ignore[no-untyped-call]
    x.retain_grad()
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        x.detach().register_hook(print)  # type: ignore[no-untyped-call]
    undo()
    x.retain_grad()
    assert [(kind, function) for kind, _, function in put_on] == [("gradient", print), ("accumulated", print), ("retain", None)]
    assert all(tensor is x for _, tensor, _ in put_on)
    assert [getattr(torch.Tensor, name) for name in names] == originals and "retain_grad" not in vars(torch.Tensor)


def test_a_recomputation_is_stopped_by_its_own_exception() -> None:
    seen: list[type[BaseException]] = []

    def block(x: torch.Tensor) -> torch.Tensor:
        try:
            return x.exp().sin()
        except BaseException as stopped:
            seen.append(type(stopped))
            raise

    x = torch.ones(1, requires_grad=True)
    torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False).sum().backward()
    assert seen == [adapter.RecomputationStopped]
