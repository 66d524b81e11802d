"""What CPython keeps of frames, dicts and the stack, with CPython itself as the oracle."""

import subprocess
import sys
import threading
import traceback
import weakref
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

from app.tracer import adapter


def depth() -> int:
    """How much deeper calls may nest from here."""

    def down(reached: list[int]) -> None:
        reached[0] += 1
        down(reached)

    reached = [0]
    with pytest.raises(RecursionError):
        down(reached)
    return reached[0]


def test_the_levels_of_the_stack() -> None:
    limit = sys.getrecursionlimit()
    before = depth()
    adapter.stack.levels.value += 150
    try:
        assert depth() == before + 150
        assert sys.getrecursionlimit() == limit
    finally:
        adapter.stack.levels.value -= 150
    assert depth() == before
    others: list[int] = []
    thread = threading.Thread(target=lambda: others.append(adapter.stack.levels.value))
    thread.start()
    thread.join()
    assert limit - 10 < others[0] < limit


def test_what_exec_runs_has_the_levels_of_a_script() -> None:
    count = "def f():\n    global n\n    n += 1\n    f()\nn = 0\ntry:\n    f()\nexcept RecursionError:\n    pass\nprint(n)"
    script = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    code, variables = compile(count, "counted", "exec"), {"print": lambda _: None}
    levels = adapter.stack.levels
    missing = adapter.missing_levels(levels.value)
    levels.value += missing
    try:
        exec(code, variables)
    finally:
        levels.value -= missing
    assert missing > 0 and script.stdout == f"{variables['n']}\n"


def test_without_what_settrace_set_no_call_is_shown_but_lines_are() -> None:
    seen: list[str] = []

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_name in ("outer", "inner"):
            seen.append(f"{frame.f_code.co_name} {event}")
        return trace

    def inner() -> None:
        pass

    def outer() -> None:
        traces = adapter.stack.traces
        set_by, traces.value = traces.value, None
        inner()
        traces.value = set_by
        inner()

    before = sys.gettrace()
    sys.settrace(trace)
    outer()
    sys.settrace(before)
    assert seen == ["outer call", *["outer line"] * 5, "inner call", "inner line", "inner return", "outer return"]


def test_hide_frames() -> None:
    x = torch.ones(2)
    found = []
    for around in (adapter.seen_operators(adapter.run_operator), nullcontext()):
        try:
            with around:
                x.view(7)
        except RuntimeError as error:
            found.append(error.__traceback__)
    names = [entry.name for entry in traceback.extract_tb(found[0])]
    assert "run_operator" in names
    adapter.hide_frames(found[0], str(Path(adapter.__file__).parent))
    left = [entry.name for entry in traceback.extract_tb(found[0])]
    assert left[0] == "test_hide_frames"
    assert "run_operator" not in left and "__call__" not in left
    adapter.hide_frames(found[1], str(Path(adapter.__file__).parent))
    assert [entry.name for entry in traceback.extract_tb(found[1])] == ["test_hide_frames"]
    adapter.hide_frames(None, "")


def test_drop_locals_snapshot() -> None:
    def watched() -> list[bool]:
        x = torch.ones(1)
        ref = weakref.ref(x)
        look()
        del x
        return [ref() is None, "ref" in locals()]

    def look() -> None:
        frame: FrameType = sys._getframe(1)
        assert "x" in frame.f_locals
        adapter.drop_locals_snapshot(frame)

    assert watched() == [True, True]


def test_drop_locals_snapshot_leaves_what_exec_put_there() -> None:
    def watched() -> int:
        x = 1
        exec("z = x + 1")
        look()
        return x + int(locals()["z"])

    def look() -> None:
        adapter.drop_locals_snapshot(sys._getframe(1))

    assert watched() == 3


def test_drop_locals_snapshot_leaves_variables_and_module_frames_alone() -> None:
    def outer() -> tuple[Any, ...]:
        a, b = 1, [2]
        c = 3

        def inner() -> int:
            return c

        for _ in range(100):
            assert sys._getframe().f_locals["b"] is b
            adapter.drop_locals_snapshot(sys._getframe())
        return a, b, c, inner()

    assert outer() == (1, [2], 3, 3)
    module: dict[str, Any] = {"adapter": adapter, "sys": sys}
    exec("x = 1\nadapter.drop_locals_snapshot(sys._getframe())\ny = x + 1", module)
    assert module["y"] == 2


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="later versions of Python leave a frame by the link that this cuts")
def test_make_outermost() -> None:
    def tracer(frame: FrameType, event: str, arg: Any) -> None:
        if frame.f_code.co_filename == "<module>":
            sys.settrace(None)
            adapter.make_outermost(frame)

    source = "import sys, traceback\ndef f():\n    return [e.name for e in traceback.extract_stack()]\nnames = f()\n1 / 0"
    code = compile(source, "<module>", "exec")
    variables: dict[str, Any] = {}
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(ZeroDivisionError) as raised:
            exec(code, variables)
    finally:
        sys.settrace(before)
    assert variables["names"] == ["<module>", "f"]
    assert [entry.name for entry in raised.traceback][-1] == "<module>"
    assert len(traceback.extract_stack()) > 5
