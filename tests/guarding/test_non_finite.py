"""NaN and infinity in gradients: found after backward, expected under a GradScaler, and located by `guard.step`."""

import pytest
import torch
from torch import Tensor, nn

from app.public import stepgrad


def model() -> nn.Sequential:
    """A small model with state of its own."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2))


def test_the_parameter_and_the_line_of_backward_are_named() -> None:
    net = model()
    with pytest.raises(stepgrad.GuardError) as caught, stepgrad.guard():
        (net(torch.ones(4, 3)) * 0).sqrt().sum().backward()
    finding = caught.value.finding
    assert finding.kind == "non_finite"
    assert (finding.arguments["what"], finding.arguments["others"], finding.arguments["loss"]) == ("nan", 5, "no")
    assert "After the backward at tests/guarding/test_non_finite.py:" in str(caught.value)
    assert "the gradient of `3.bias`" in str(caught.value) and "`3.bias` 的梯度" in finding.text("zh-CN")


def test_the_gradient_of_autograd_grad_counts_and_a_large_one_is_finite() -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with stepgrad.guard(mode="collect") as guard:
        (x * 1e30).sum().backward()  # type: ignore[no-untyped-call]
        (torch.ones(3, dtype=torch.float16, requires_grad=True) * 6e4).sum().backward()  # type: ignore[no-untyped-call]
        assert guard.findings == []
        torch.autograd.grad(x.log().sum(), x)
    (finding,) = guard.findings
    assert (finding.arguments["what"], finding.arguments["loss"]) == ("inf", "yes")


def test_infinity_is_expected_before_a_scaler_divides() -> None:
    net = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
    with stepgrad.guard() as guard:
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(net(torch.full((2, 2), 100.0)).square().sum()).backward()
            scaler.step(optimizer)
            scaler.update()
    assert guard.findings == [] and scaler.get_scale() < 2.0**127


@pytest.mark.parametrize("mode", ["raise", "collect"])
def test_the_operator_that_returned_the_first_nan_is_found(mode: stepgrad.guarding.guards.Mode) -> None:
    net = model()
    optimizer = torch.optim.Adam(net.parameters())
    calls = []

    def step(batch: Tensor) -> float:
        calls.append(torch.rand(()).item())
        optimizer.zero_grad()
        out = net(batch).masked_fill(torch.zeros(2, dtype=torch.bool), float("-inf"))
        loss = (out * 0).sqrt().sum()
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    buffers = [each.clone() for each in net.buffers()]
    with stepgrad.guard(mode=mode) as guard:
        if mode == "raise":
            with pytest.raises(stepgrad.GuardError):
                stepgrad.guard.step(step, torch.ones(4, 3))
        else:
            assert stepgrad.guard.step(step, torch.ones(4, 3)) == 0
    born = guard.findings[0].born
    assert born is not None and born["what"] == "inf"
    assert (born["node"], str(born["line"]).rpartition(":")[0].endswith("test_non_finite.py")) == ("SqrtBackward0", True)
    assert len(calls) == 2 and calls[0] == calls[1], "the random numbers are the same"
    tracked = [int(each) for each in net.buffers() if each.dtype == torch.int64]
    assert tracked == [1] and not all(map(torch.equal, buffers, net.buffers()))
    assert all(parameter.grad is not None for parameter in net.parameters())


def test_a_nan_of_finite_values_is_its_own_origin() -> None:
    def step() -> None:
        x = torch.tensor([-1.0], requires_grad=True)
        x.sqrt().sum().backward()  # type: ignore[no-untyped-call]

    with pytest.raises(stepgrad.GuardError) as caught:
        stepgrad.guard.step(step)
    born = caught.value.finding.born
    assert born is not None and (born["operator"], born["what"]) == ("aten::sqrt", "nan")


def test_an_infinity_that_the_program_asks_for_is_not_its_origin() -> None:
    def step() -> None:
        x = torch.zeros(2, requires_grad=True)
        masked = x.masked_fill(torch.tensor([True, False]), float("-inf"))
        (masked.exp() + x.log()).sum().backward()  # type: ignore[no-untyped-call]

    with pytest.raises(stepgrad.GuardError) as caught:
        stepgrad.guard.step(step)
    born = caught.value.finding.born
    assert born is not None and (born["operator"], born["what"], born["node"]) == ("aten::log", "inf", "")
    assert "`aten::log` of tests/guarding/test_non_finite.py:" in str(caught.value)


def test_a_step_without_findings_returns_its_result() -> None:
    def added(value: int, *, more: int) -> int:
        return value + more

    assert stepgrad.guard.step(added, 1, more=2) == 3


@pytest.mark.parametrize("mode", ["raise", "collect"])
def test_a_step_that_cannot_run_twice_gives_the_finding(mode: stepgrad.guarding.guards.Mode) -> None:
    batches = iter([torch.tensor([-1.0])])

    def step() -> None:
        x = next(batches).requires_grad_()
        x.sqrt().sum().backward()  # type: ignore[no-untyped-call]

    with stepgrad.guard(mode=mode) as guard:
        if mode == "raise":
            with pytest.raises(stepgrad.GuardError):
                stepgrad.guard.step(step)
        else:
            stepgrad.guard.step(step)
    assert [(finding.kind, finding.born) for finding in guard.findings] == [("non_finite", None)]


def test_a_step_that_runs_again_is_counted_once() -> None:
    net = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> None:
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        torch.tensor([-1.0], requires_grad=True).sqrt().sum().backward()  # type: ignore[no-untyped-call]

    with stepgrad.guard(mode="collect") as guard:
        stepgrad.guard.step(step)
    assert guard.steps == 1 and guard.findings[0].born is not None


def test_a_module_that_cannot_name_its_parameters_is_passed_over() -> None:
    class Refuses(nn.Module):
        """Code of the user."""

        def named_parameters(self, *_: object, **__: object):  # type: ignore[no-untyped-def]
            raise ValueError

    others = Refuses(), nn.Linear.__new__(nn.Linear)
    net = model()
    with stepgrad.guard(mode="collect") as guard:
        (net(torch.ones(4, 3)) * 0).sqrt().sum().backward()
    assert guard.findings[0].arguments["name"] == "3.bias" and others
