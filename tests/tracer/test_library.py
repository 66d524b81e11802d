"""`record()` in an ordinary process records the `with` block, does not affect other code, and removes all its hooks
afterwards.
"""

import contextlib
import gc
import linecache
import logging
import os
import subprocess
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace
from app.trace.ends import Exited, Finished, Raised, Stopped
from app.trace.records import Limits
from app.tracer.library import Recorded, record

ROOT = Path(__file__).parents[2]


def doubled(tensor: torch.Tensor) -> torch.Tensor:
    twice = tensor.clone()
    twice *= 2
    return twice


def installed() -> list[object]:
    """Return everything global that the recorder may replace."""
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


# --- positions of the block ---------------------------------------------------------------------------------------------


def operators(trace: Trace) -> list[str | None]:
    check(trace)
    return [step.name for step in trace.steps if step.kind == "operator"]


def lines(trace: Trace) -> list[str]:
    """Return the source line of each recorded statement.

    Lines with `with` are left out, because Python returns to this line at the end of the block.
    """
    text = trace.source.split("\n")
    spans = [step.span for step in trace.steps if step.kind == "statement" and step.span is not None]
    return [line for span in spans if not (line := text[span.line - 1].strip()).startswith("with ")]


def test_in_a_loop_each_has_its_own() -> None:
    recordings = []
    for number in range(3):
        with record() as recording:
            x = torch.ones(number + 1)
            x += 1
        recordings.append(recording.trace)
    for trace in recordings:
        assert "aten::add_" in operators(trace)
        assert lines(trace) == ["x = torch.ones(number + 1)", "x += 1"]
        assert isinstance(trace.ended, Finished)


def test_a_graph_of_an_earlier_recording_is_seen_anew() -> None:
    x = torch.ones(2, requires_grad=True)
    with record():
        unrelated = torch.ones(2).requires_grad_().sin()
        y = x * 2
    with record() as recording:
        z = y.exp()
        z.sum().backward()  # type: ignore[no-untyped-call]
    trace = recording.trace
    check(trace)
    assert unrelated.grad_fn is not None
    names = {node.name for node in trace.nodes}
    assert {"SinBackward0", "MulBackward0", "ExpBackward0", "SumBackward0", "torch::autograd::AccumulateGrad"} == names
    ran = [trace.nodes[step.node].name for step in trace.steps if step.kind == "node" and step.node is not None]
    assert ran == ["SumBackward0", "ExpBackward0", "MulBackward0", "torch::autograd::AccumulateGrad"]


def test_in_nested_functions() -> None:
    def outer() -> Recorded:
        def inner(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        with record() as recording:
            y = inner(torch.ones(2))
            inner(y)
        return recording

    trace = outer().trace
    check(trace)
    assert [step.name for step in trace.steps if step.kind == "call"] == [
        "test_in_nested_functions.<locals>.outer.<locals>.inner"
    ] * 2


def test_in_another_thread() -> None:
    recorded: list[Recorded] = []
    left: list[object] = []

    def work() -> None:
        with record() as recording:
            x = torch.ones(2)
            x.mul_(2)
        recorded.append(recording)
        left.append(sys.gettrace())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert lines(recorded[0].trace) == ["x = torch.ones(2)", "x.mul_(2)"]
    assert left == [None] and "aten::mul_" in operators(recorded[0].trace)


def test_one_thread_at_a_time() -> None:
    raised: list[str] = []

    def work() -> None:
        try:
            with record():
                pass
        except RuntimeError as error:
            raised.append(str(error))

    with record() as recording:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert raised == ["Another thread is being recorded; a process records one thread at a time."]
    assert isinstance(recording.trace.ended, Finished)


def test_within_no_grad_and_another_mode() -> None:
    seen: list[str] = []

    class Other(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with torch.no_grad(), Other():  # type: ignore[no-untyped-call]
        with record() as recording:
            x = torch.ones(2)
            x.add_(1)
        outside = torch.zeros(1)
    assert seen == ["aten.ones.default", "aten.add_.Tensor", "aten.zeros.default"]
    assert [name for name in operators(recording.trace) if name != "aten::fill_"][-1] == "aten::add_"
    assert not any(step.grad_enabled for step in recording.trace.steps)
    assert outside.tolist() == [0.0]


def test_on_an_exit_stack_and_as_a_decorator() -> None:
    with contextlib.ExitStack() as stack:
        recording = stack.enter_context(record())
        x = torch.ones(2)
    assert "x = torch.ones(2)" in lines(recording.trace) and x.tolist() == [1.0, 1.0]

    @record()
    def decorated() -> torch.Tensor:
        return torch.ones(2) * 3

    assert decorated().tolist() == decorated().tolist() == [3.0, 3.0]


def test_around_a_generator_and_within_one() -> None:
    def rows() -> Iterator[torch.Tensor]:
        yield torch.ones(1)
        yield torch.ones(2)

    before = installed()
    with record() as recording:
        for row in rows():
            row.add_(1)
    assert operators(recording.trace).count("aten::add_") == 2

    def recorded_rows() -> Generator[Recorded, None, None]:
        with record() as recording:
            yield recording
            torch.ones(1)
            yield recording

    within = recorded_rows()
    recording = next(within)
    torch.zeros(1)
    next(within)
    within.close()
    assert installed() == before
    assert isinstance(recording.trace.ended, Raised) and recording.trace.ended.type == "GeneratorExit"
    check(recording.trace)


def test_in_a_notebook_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = "import torch\nwith record() as recording:\n    x = torch.ones(2)\n    y = f(x)\n"
    other = "def f(x):\n    z = x * 2\n    return z\n"
    namespace: dict[str, Any] = {"record": record}
    for name, source in (("/tmp/ipykernel_1/1.py", other), ("/tmp/ipykernel_1/2.py", cell)):
        monkeypatch.setitem(linecache.cache, name, (len(source), None, source.splitlines(keepends=True), name))
        exec(compile(source, name, "exec"), namespace)
    trace = namespace["recording"].trace
    assert trace.source == cell
    assert lines(trace) == ["x = torch.ones(2)", "y = f(x)"] and "aten::mul" in operators(trace)


def test_without_any_source() -> None:
    namespace: dict[str, Any] = {"record": record}
    exec("import torch\nwith record() as recording:\n    x = torch.ones(2) * 2\n", namespace)
    trace = namespace["recording"].trace
    assert trace.source == "" and "aten::mul" in operators(trace)


GIVEN = """
import linecache
print(repr("".join(linecache.getlines("<string>"))))
from stepgrad import record
def f():
    with record() as recording:
        x = 1
    print(repr(recording.trace.source))
f()
exec('with record() as recording: pass')
print(repr(recording.trace.source))
"""


def test_given_to_python_as_text() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", GIVEN.removesuffix("\n")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["app/public", "."])},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    kept, *sources = ended.stdout.splitlines()
    assert sources == [kept, "''"] and kept in (
        repr(GIVEN),
        "''",
    )  # early releases of Python 3.13 do not update the cached source text


# --- ways to leave it ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
def test_whatever_leaves_the_block_is_as_it_was(kind: type[BaseException]) -> None:
    before = installed()
    error = kind(3)
    with pytest.raises(kind) as caught, record() as recording:
        raise error
    assert caught.value is error and installed() == before
    ended = recording.trace.ended
    assert ended == Exited(code=3, by="SystemExit") if kind is SystemExit else isinstance(ended, Raised)
    check(recording.trace)


def of_torch() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()  # type: ignore[no-untyped-call]


def of_an_operator() -> None:
    torch.optim.SGD([torch.ones(2)], lr=0.1).step()
    torch.mm(torch.ones(2, 3), torch.ones(2, 3))


@pytest.mark.parametrize("fails", [of_torch, of_an_operator])
@pytest.mark.parametrize("limits", [Limits(), Limits(statements=2), Limits(steps=4)])
def test_tracebacks_have_none_of_our_frames(fails: Callable[[], None], limits: Limits) -> None:
    def shown() -> list[tuple[str, str]]:
        try:
            fails()
        except RuntimeError as error:
            return [(entry.filename, entry.name) for entry in traceback.extract_tb(error.__traceback__)][1:]
        raise AssertionError

    expected = shown()
    with pytest.raises(RuntimeError) as caught, record(limits):
        fails()
    entries = [(entry.filename, entry.name) for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert entries[-len(expected) :] == expected
    assert not [entry for entry in entries if "/app/tracer/" in entry[0]]


def test_an_exception_keeps_nothing_alive() -> None:
    seen = []

    def fails() -> None:
        x = torch.ones(3)
        seen.append(weakref.ref(x))
        raise ValueError

    gc.disable()
    try:
        with contextlib.suppress(ValueError), record():
            fails()
        assert seen[0]() is None
    finally:
        gc.enable()


# --- leftovers ----------------------------------------------------------------------------------------------------------


def test_tensors_carry_no_weak_reference_of_ours() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.zeros(2)
    with record():
        z = (x * 2).exp()
        y.add_(1)
        z.sum().backward()  # type: ignore[no-untyped-call]
    assert [weakref.getweakrefcount(tensor) for tensor in (x, y, z)] == [0, 0, 0]
    assert [weakref.getweakrefcount(tensor.untyped_storage()) for tensor in (x, y, z)] == [0, 0, 0]
    torch.utils.swap_tensors(y, torch.ones(3))  # type: ignore[no-untyped-call]
    assert y.shape == (3,)


@pytest.mark.parametrize("tracing", ["nobody", "somebody"])
def test_tracing_is_given_back(tracing: str) -> None:
    events: list[int] = []

    def debugger(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename == __file__ and event == "line":
            events.append(frame.f_lineno)
        return debugger

    theirs = debugger if tracing == "somebody" else None
    before = sys.gettrace()
    sys.settrace(theirs)
    sys._getframe().f_trace = theirs
    try:
        with record():
            torch.ones(1)
        again = sys.gettrace(), sys._getframe().f_trace
        last = sys._getframe().f_lineno
    finally:
        sys.settrace(before)
    assert again == (theirs, theirs)
    assert (last in events) == (theirs is not None)


def test_streams_answer_as_those_they_stand_for(capsys: pytest.CaptureFixture[str]) -> None:
    def asked() -> list[Any]:
        return [sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.errors, sys.stderr.encoding, sys.stdout.writable()]

    expected = asked()
    handlers = []
    with record() as recording:
        within = asked()
        returned = sys.stdout.write("four")
        sys.stdout.writelines(["a\n", "b\n"])
        handlers.append(logging.StreamHandler())
    handlers[0].emit(logging.makeLogRecord({"msg": "afterwards"}))
    assert (within, returned) == (expected, 4)
    out, err = capsys.readouterr()
    assert (out, err) == ("foura\nb\n", "afterwards\n")
    assert "".join(output.text for output in recording.trace.outputs) == "foura\nb\n"


def test_a_stream_put_in_place_within_stays() -> None:
    before = sys.stdout
    try:
        with record():
            sys.stdout = sys.__stdout__
        assert sys.stdout is sys.__stdout__
    finally:
        sys.stdout = before


def test_warnings_are_shown_as_ever() -> None:
    with warnings.catch_warnings(record=True) as shown, record() as recording:
        warnings.simplefilter("always")
        warnings.warn("careful", UserWarning, stacklevel=1)
    assert [str(warning.message) for warning in shown] == ["careful"]
    assert [(output.category, output.text) for output in recording.trace.outputs] == [("UserWarning", "careful")]


def test_saving(tmp_path: Path) -> None:
    with record() as recording:
        x = torch.ones(2) * 2
    recording.save(tmp_path / "run.json")
    assert decode_trace((tmp_path / "run.json").read_bytes()) == recording.trace
    assert x.tolist() == [2.0, 2.0]
