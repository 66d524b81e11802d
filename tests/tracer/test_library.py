"""`record()` in a process of its own right: it sees the block, changes nothing, and leaves nothing behind."""

import gc
import sys
import weakref

import pytest
import torch

from app.trace.check import check
from app.trace.ends import Finished, Raised, Stopped
from app.trace.records import Limits
from app.tracer.library import record


def doubled(tensor: torch.Tensor) -> torch.Tensor:
    twice = tensor.clone()
    twice *= 2
    return twice


def installed() -> list[object]:
    """Whatever a recording puts in place."""
    modes = torch.utils._python_dispatch._get_current_dispatch_mode_stack()
    engine = [vars(module)["_engine_run_backward"] for module in (torch.autograd, torch.autograd.graph)]
    return [sys.gettrace(), modes, *engine, torch.utils.swap_tensors, sys.stdout, sys.stderr, sys.getrecursionlimit()]


def test_it_follows_the_block_and_the_functions_of_its_file() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as recording:
        y = doubled(x)
        y.sum().backward()  # type: ignore[no-untyped-call]
    trace = recording.trace
    check(trace)
    assert trace.ended == Finished()
    assert [step.name for step in trace.steps if step.kind == "call"] == ["doubled"]
    assert x.grad is not None and x.grad.tolist() == [2.0, 2.0]
    assert {"x", "y"} <= {name.path for name in trace.names}
    assert [node.name for node in trace.nodes if node.variable is None] == ["CloneBackward0", "MulBackward0", "SumBackward0"]


def test_nothing_is_left_installed() -> None:
    before = installed()
    with record():
        torch.ones(1)
    assert installed() == before
    with pytest.raises(ZeroDivisionError), record():
        raise ZeroDivisionError
    assert installed() == before


def test_it_keeps_nothing_alive() -> None:
    with record() as recording:
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        seen = [weakref.ref(x), weakref.ref(y)]
        del x, y
    gc.collect()
    assert [ref() for ref in seen] == [None, None]
    assert all(tensor.died is not None for tensor in recording.trace.tensors)


def test_exceptions_pass_through_unchanged() -> None:
    error = ValueError("mine")
    with pytest.raises(ValueError, match="mine") as caught, record() as recording:
        raise error
    assert caught.value is error
    ended = recording.trace.ended
    assert isinstance(ended, Raised) and (ended.type, ended.message) == ("ValueError", "mine")


def test_within_another_it_is_the_same() -> None:
    with record() as outer, record() as inner:
        torch.ones(1)
    assert inner is outer
    assert isinstance(outer.trace.ended, Finished)


def test_a_limit_ends_the_recording_and_not_the_program() -> None:
    with record(Limits(statements=3)) as recording:
        total = 0
        for number in range(10):
            total += number
        last = torch.ones(2) * total
    assert last.tolist() == [45.0, 45.0]
    assert recording.trace.ended == Stopped(limit="statements", reached=3)
    check(recording.trace)


def test_output_goes_where_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    with record() as recording:
        print("seen")
    assert capsys.readouterr().out == "seen\n"
    assert [output.text for output in recording.trace.outputs] == ["seen\n"]
