"""What CPython keeps of frames, dicts and the stack, with CPython itself as the oracle."""

import sys
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


def test_add_recursion_depth() -> None:
    limit = sys.getrecursionlimit()
    before = depth()
    adapter.add_recursion_depth(150)
    try:
        assert depth() == before + 150
        assert sys.getrecursionlimit() == limit
    finally:
        adapter.add_recursion_depth(-150)
    assert depth() == before


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
