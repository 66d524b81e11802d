"""A guard checks version counters as torch does without hooks. Its message begins with the message of torch."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from app.public import stepgrad


class Doubled(torch.autograd.Function):
    """A Function that saves its input and its output."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: Tensor) -> Tensor:
        out = x * 2
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, *gradients: Tensor) -> Tensor:
        x, out = ctx.saved_tensors  # type: ignore[attr-defined]
        gradient: Tensor = gradients[0] * 2 + 0 * x * out
        return gradient


DOUBLE: Callable[[Tensor], Tensor] = Doubled.apply
KEPT: list[Tensor] = []
"""Tensors that the program still has at backward."""


def leaf(*shape: int) -> Tensor:
    """A leaf above zero."""
    return (torch.arange(torch.Size(shape).numel(), dtype=torch.float32) + 1).view(shape).requires_grad_()


def output_written(operator: Callable[[Tensor], Tensor]) -> Callable[[], Tensor]:
    """Write the output of an operator in place."""

    def program() -> Tensor:
        out = operator(leaf(2, 3))
        out.add_(1)
        return out.sum()

    return program


def input_written(operator: Callable[[Tensor], Tensor]) -> Callable[[], Tensor]:
    """Write an input of an operator in place, which gives the input another Node."""

    def program() -> Tensor:
        taken = leaf(2, 3) * 1
        out = operator(taken)
        taken.add_(2)
        KEPT.append(taken)
        return out.sum()

    return program


def leaf_written() -> Tensor:
    """Write a leaf, as an optimizer does."""
    weight = leaf(3, 3)
    loss = (leaf(2, 3) @ weight).sum()
    with torch.no_grad():
        weight.add_(1)
    return loss


def view_written() -> Tensor:
    """Write a view that was saved."""
    view = (leaf(4) * 1)[:2]
    loss = (view * view).sum()
    view.add_(1)
    return loss


def base_written() -> Tensor:
    """Write the base of a saved view."""
    base = leaf(4) * 1
    loss = (base[:2] ** 2).sum()
    base.add_(1)
    return loss


def of_several_views() -> Tensor:
    """Write the base of two outputs of one function."""
    base = leaf(4) * 1
    first, second = base.chunk(2)
    loss = (first * second).sum()
    base.add_(1)
    return loss


def in_place_save() -> Tensor:
    """Write a tensor that an in-place operator has saved."""
    out = leaf(4) * 1
    out.exp_()
    out.mul_(2)
    return out.sum()


def in_place_save_of_a_view() -> Tensor:
    """Write the base of a view that an in-place operator has saved."""
    out = leaf(4) * 1
    out[:2].exp_()
    out.mul_(2)
    return out.sum()


def view_written_and_kept() -> Tensor:
    """Write a view that was saved, and keep it."""
    view = (leaf(4) * 1)[:2]
    KEPT.append(view)
    loss = (view * view).sum()
    view.add_(1)
    return loss


def copied_slice() -> Tensor:
    """Write a tensor with a Node that is CopySlices."""
    out = leaf(4) * 1
    out[0] = 2
    KEPT.append(out)
    loss = (out * out).sum()
    out.add_(2)
    return loss


def second_output() -> Tensor:
    """Write the second output of a Node."""
    u, s, _ = torch.linalg.svd(leaf(2, 2) * 1)
    s.add_(1)
    total: Tensor = u.sum()
    return total


def by_detach() -> Tensor:
    """Write through `detach()`, which shares the counter and adds no Node."""
    out = DOUBLE(leaf(3))
    loss = out.pow(2).sum()
    out.detach().add_(1)
    return loss


OUTPUTS = (
    torch.exp,
    torch.sigmoid,
    torch.tanh,
    torch.relu,
    torch.sqrt,
    torch.reciprocal,
    lambda x: x.softmax(-1),
    Doubled.apply,
)
INPUTS = (torch.sin, torch.log, torch.square, lambda x: x * x, lambda x: x @ x.T, lambda x: x.norm(dim=1), DOUBLE)
PROGRAMS = (
    *map(output_written, OUTPUTS),
    *map(input_written, INPUTS),
    *(leaf_written, view_written, base_written, of_several_views, in_place_save, view_written_and_kept),
    *(copied_slice, second_output, by_detach),
)


@pytest.mark.parametrize("mode", ["raise", "warn", "collect"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_it_begins_with_the_sentence_of_plain_torch(program: Callable[[], Tensor], mode: stepgrad.guarding.guards.Mode) -> None:
    with pytest.raises(RuntimeError) as plain:
        program().backward()  # type: ignore[no-untyped-call]
    with pytest.raises(stepgrad.GuardError) as guarded, stepgrad.guard(mode=mode) as guard:
        program().backward()  # type: ignore[no-untyped-call]
    said = str(guarded.value).splitlines()
    assert said[0] == str(plain.value)
    assert "test_torch_check.py:" in said[1] and guard.findings == [guarded.value.finding]


def test_an_in_place_operator_on_a_view_is_not_named() -> None:
    with pytest.raises(RuntimeError) as plain:
        in_place_save_of_a_view().backward()  # type: ignore[no-untyped-call]
    with pytest.raises(stepgrad.GuardError) as guarded, stepgrad.guard():
        in_place_save_of_a_view().backward()  # type: ignore[no-untyped-call]
    assert str(guarded.value).splitlines()[0] == str(plain.value).replace(", which is output 0 of Exp,", "")


@pytest.mark.filterwarnings("ignore:Error detected in")
def test_anomaly_mode_keeps_its_own_hint() -> None:
    with torch.autograd.set_detect_anomaly(True):
        with pytest.raises(RuntimeError) as plain:
            leaf_written().backward()  # type: ignore[no-untyped-call]
        with pytest.raises(stepgrad.GuardError) as guarded, stepgrad.guard():
            leaf_written().backward()  # type: ignore[no-untyped-call]
    assert str(guarded.value).splitlines()[0] == str(plain.value)


def test_an_optimizer_that_wrote_is_named() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    before = model[2].weight._version
    with pytest.raises(stepgrad.GuardError) as caught, stepgrad.guard():
        loss = model(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        loss.backward()
    arguments = caught.value.finding.arguments
    assert (arguments["optimizer"], arguments["before"], arguments["after"]) == ("SGD", before, before + 1)
    assert "`SGD.step()` at tests/guarding/test_torch_check.py:" in str(caught.value)
    assert caught.value.finding.lesson.endswith("/step-between-two-backwards")
