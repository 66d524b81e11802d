"""When a run reaches a limit of `record()`, only the recording ends. The program continues as if it were not recorded."""

import sys

import pytest
import torch

from app.trace.ends import Stopped
from app.trace.records import Limits
from app.tracer import adapter
from app.tracer.library import record

UNTIL_THE_END = {"_make_subclass", "as_subclass", "__new__"}
"""Methods of torch.Tensor that remain wrapped until the `with` block ends. After the limit, the wrappers have no effect."""


@pytest.mark.parametrize("limits", [Limits(statements=2), Limits(steps=6)], ids=["between operators", "within an operator"])
def test_nothing_of_the_recorder_is_left_in_the_way(limits: Limits) -> None:
    x, before = torch.ones(3, requires_grad=True), dict(vars(torch.Tensor))
    with record(limits=limits) as recording:
        y = x * 2
        z = y.exp()
        z = z + 1
        w = z.sum()
        w.backward()  # type: ignore[no-untyped-call]
        is_shown, trace, methods = adapter.show_operators(False), sys.gettrace(), dict(vars(torch.Tensor))
    assert isinstance(recording.trace.ended, Stopped)
    assert not is_shown and trace is None
    assert {name for name in methods if methods[name] is not before.get(name)} == UNTIL_THE_END
    assert dict(vars(torch.Tensor)) == before
    assert x.grad is not None and torch.equal(x.grad, 2 * (2 * x.detach()).exp())


def test_the_next_recording_sees_operators_again() -> None:
    with record(limits=Limits(statements=1)):
        pass
    with record() as recording:
        torch.ones(2).add(1)
    assert [step.name for step in recording.trace.steps if step.kind == "operator"] == ["aten::ones", "aten::add"]
