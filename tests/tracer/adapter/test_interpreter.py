"""Read CPython's internals: frames, dicts and the evaluation stack. Python's own API provides the expected results."""

import subprocess
import sys
import threading
import traceback
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

from app.tracer import adapter
from app.tracer.adapter import interpreter

FOUND: dict[tuple[int, ...], dict[str, int | None]] = {
    (3, 11): {"_TRACE_OBJECT": 88, "_OF_EXEC": 2, "_RECURSION_REMAINING": 32, "_DICT_VERSION": 24, "_F_LOCALS": 3},
    (3, 12): {"_TRACE_OBJECT": 88, "_OF_EXEC": 1, "_RECURSION_REMAINING": 28, "_DICT_VERSION": 24, "_F_LOCALS": 5},
    (3, 13): {"_TRACE_OBJECT": 104, "_OF_EXEC": 1, "_RECURSION_REMAINING": 44, "_DICT_VERSION": None, "_F_LOCALS": None},
    (3, 14): {"_TRACE_OBJECT": 104, "_OF_EXEC": 1, "_RECURSION_REMAINING": 48, "_DICT_VERSION": None, "_F_LOCALS": None},
}
"""Expected results by Python version.

In 3.13, a dict's version ignores changes of an instance's attributes; in 3.14, it never changes. Since 3.13, frames have no
snapshot of their variables.
"""


def test_the_experiments_find_what_this_version_has() -> None:
    found = FOUND[sys.version_info[:2]]
    assert {name: getattr(interpreter, name) for name in found} == found


def depth() -> int:
    """Return how many more nested calls are possible here before RecursionError."""

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
    def watched() -> object:
        x = 1
        exec("z = x + 1")
        look()
        return locals().get("z")

    def look() -> None:
        adapter.drop_locals_snapshot(sys._getframe(1))

    assert watched() == (2 if sys.version_info < (3, 13) else None), "PEP 667: exec leaves nothing in a function's variables"


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


def test_keep_comprehensions() -> None:
    source = "k = 5\nclass Body:\n    found = [\n        k\n        for k in (1, 2)]\nfound = [\n    k\n    for k in (3, 4)]\n"
    code = compile(source, "<comprehensions>", "exec")
    other = compile("[k for k in (1, 2)]", "<comprehensions>", "exec")
    before = other.co_freevars

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        adapter.keep_comprehensions(frame.f_code)
        return trace if frame.f_code.co_filename == "<comprehensions>" else None

    module: dict[str, Any] = {"__name__": "comprehensions"}
    traced_before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, module)
    finally:
        sys.settrace(traced_before)
    assert (module["found"], module["Body"].found, module["k"]) == ([3, 4], [1, 2], 5)
    assert other.co_freevars == before == (), "kinds of one variable are one object in all of Python"


def test_make_outermost() -> None:
    restore: list[Callable[[], None]] = []

    def tracer(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename == "<module>" and frame.f_code.co_name == "<module>":
            if event == "call":
                restore.append(adapter.make_outermost(frame))
            if event == "return":
                restore.pop()()
            return tracer
        return None

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
    assert len(traceback.extract_stack()) > 5 and not restore


def test_make_outermost_cuts_nothing_that_it_does_not_know() -> None:
    def generator() -> Iterator[int]:
        yield len(traceback.extract_stack())

    running: Any = generator()
    frame = running.gi_frame
    adapter.make_outermost(frame)()
    assert next(running) == len(traceback.extract_stack()) + 1


def test_pause_tracing() -> None:
    seen = []

    def tracer(frame: FrameType, event: str, arg: Any) -> None:
        seen.append(frame.f_code.co_name)

    def first() -> None:
        pass

    def second() -> None:
        pass

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        adapter.stack.pause_tracing()
        first()
        adapter.stack.pause_tracing()
        first()
        adapter.stack.resume_tracing()
        first()
        adapter.stack.resume_tracing()
        second()
    finally:
        sys.settrace(before)
    assert "first" not in seen and "second" in seen


class Holder:
    pass


def set_attribute(holder: Any, value: object) -> None:
    holder.attribute = value


@pytest.mark.parametrize("of", [dict, OrderedDict, lambda entries: defaultdict(list, entries)])
def test_entries_at(of: Callable[[dict[str, int]], dict[str, Any]]) -> None:
    entries = of({"a": 1, "b": 2})
    changes: list[Callable[[], object]] = [
        lambda: entries.update(a=3),
        lambda: entries.setdefault("c", 4),
        lambda: entries.pop("c"),
        lambda: (entries.pop("a"), entries.update(d=3)),
        entries.clear,
    ]
    for change in changes:
        before = adapter.entries_at(id(entries))
        assert adapter.entries_at(id(entries)) == before
        change()
        assert adapter.entries_at(id(entries)) != before
    assert adapter.entries_at(id([])) == [id(list)]


def test_attributes_of_an_instance_change_what_is_read_of_its_dict() -> None:
    """Reading an instance's dict shows each assignment on every Python version, also for assignments that CPython specialized."""
    holder = Holder()
    for value in range(64):
        set_attribute(holder, value)
    attributes = vars(holder)
    for text in ("x", "y") * 32:
        cell = adapter.version_of_dict(attributes)
        before = adapter.entries_at(id(attributes)), None if cell is None else cell.value
        set_attribute(holder, text)
        now = adapter.entries_at(id(attributes)), None if cell is None else cell.value
        assert now[0] != before[0] and (cell is None or now[1] != before[1])


def test_variables_of_comprehensions() -> None:
    def of_caller(*_: object) -> set[str]:
        return adapter.variables_of_comprehensions(sys._getframe(1))

    def function() -> list[set[str]]:
        x = [0]
        [found] = [[of_caller(x) for y in x for z in x] for x in [[1]]]
        return [*found, of_caller(x)]

    inner = {"x", "y", "z"} if sys.version_info >= (3, 12) else set()
    assert function() == [inner, set()], "PEP 709: Python 3.11 runs a comprehension in a frame of its own"
