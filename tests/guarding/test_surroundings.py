"""Tests of guards in programs with other hooks, threads, warnings as errors or a deleted current folder."""

import threading
import warnings
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from app.public import stepgrad
from app.public.stepgrad.guarding import guards, torch_hooks
from tests.guarding.planted import fill_storage, scale, small


def test_a_step_that_is_not_checked_raises_what_torch_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is checked saves the tensor, and a step that is not checked uses it."""
    net, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    chosen = iter([0.0, 1.0])
    monkeypatch.setattr(guards._RANDOM, "random", lambda: next(chosen))
    with stepgrad.guard(mode="collect", sample=0.5) as guard:
        loss = net(x).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        assert not guard.is_checking
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


@pytest.mark.filterwarnings("ignore:stepgrad.guard")
def test_a_block_within_a_block_of_the_same_guard_keeps_its_hooks() -> None:
    with stepgrad.guard(mode="collect") as guard:
        with torch.autograd.graph.save_on_cpu(), guard:
            pass
        with guard:
            pass
        small(scale, "before")
    assert len(guard.findings) == 1


def test_a_warning_that_is_an_error_leaves_no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_hooks, "_warned", set())
    with warnings.catch_warnings(), torch.autograd.graph.save_on_cpu():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="other saved-tensor hooks"), stepgrad.guard():
            pass
    assert torch_hooks.innermost() is None and not torch_hooks._Armed.count


def test_a_module_whose_block_has_ended_is_forgotten() -> None:
    with stepgrad.guard(nn.Linear(2, 2)):
        pass
    assert not guards._started.guards
    with pytest.raises(RuntimeError, match=r"guard\.off\(\) without"):
        stepgrad.guard.off()


def test_a_finding_on_one_thread_does_not_disturb_the_backward_of_another() -> None:
    with stepgrad.guard(mode="collect") as guard:
        guard.asked.unpacked = []  # this thread asks a Node for its saved tensors
        try:
            thread = threading.Thread(target=guard(small), args=(fill_storage, "before"))
            thread.start()
            thread.join()
        finally:
            guard.asked.unpacked = None
    assert [finding.kind for finding in guard.findings] == ["overwritten"]


def test_a_current_folder_that_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    squared: dict[str, Tensor] = {"x": torch.ones(2, requires_grad=True)}
    with stepgrad.guard():
        exec(compile("y = x * x", str(tmp_path / "user.py"), "exec"), squared)
        squared["y"].sum().backward()  # type: ignore[no-untyped-call]
    assert squared["x"].grad is not None
