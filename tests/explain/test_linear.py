"""The time to explain a run is linear in the size of its trace. Tests count executed lines instead of seconds.

The second difference of linear work for n, 2n and 3n items is zero. If work were done for every pair of n items, the second
difference would be 2n². The constants that bound the finders' work are reduced here, so that they cannot hide such growth.
"""

import inspect
import sys
from collections.abc import Callable
from functools import cache
from itertools import chain
from types import FrameType
from typing import Any

import pytest

from app.explain.findings import FINDERS
from app.explain.reading import meter
from app.explain.reading.reading import Reading
from app.explain.tried.old_forward import is_of_an_old_forward
from app.trace.check import check
from app.trace.chunks import TABLES, Trace
from app.trace.ends import Ended, Finished, Raised
from tests.explain.amplified import amplified
from tests.explain.oracles.test_findings import RECORDINGS, kinds_named
from tests.explain.recorded import record
from tests.trace.header import HEADER

N = 10
SMALL = 1000
"""Bounds from this value on cannot limit the work in these tests, so they are not reduced."""

MOST = 4

MOST_STEPS = 200
"""The maximum number of steps of a recording that is enlarged. Longer recordings would be too slow."""

TEXTS: dict[str, tuple[str, Ended]] = {
    "find_prompts": (">>> x = 1\n", Finished()),
    "find_indentation": ("  x = 1\n", Raised(type="IndentationError", message="", line=1)),
    "find_shell_lines": ("!pip install x\n", Raised(type="SyntaxError", message="", line=1)),
    "find_missing_import": ("x = np.ones(1)\n", Raised(type="NameError", message="", line=1)),
    "find_absent_package": ("import jax\njax.numpy(jax)\n", Raised(type="ModuleNotFoundError", message="", line=1)),
    "find_input": ("x = input()\n", Raised(type="EOFError", message="", line=1)),
    "find_downloads": ("x = torch.hub.load(1)\n", Raised(type="RuntimeError", message="", line=1)),
    "find_sealed": ("open('/x', 'w')\n", Raised(type="PermissionError", message="", line=1)),
    "find_no_gpu": ("x = y.cuda()\n", Raised(type="RuntimeError", message="No CUDA GPUs are available", line=1)),
}
"""Finders that read only the source text: for each, a program that causes its finding, and the end of the run."""

BEGUN = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"


def many(text: str, times: int, between: str = ", ") -> str:
    return between.join(text.replace("#", str(number)) for number in range(times))


SNIPPETS: dict[str, Callable[[int], str]] = {
    "names and runs": lambda n: f"{BEGUN}g = [torch.ones(1) for _ in range({n})]\nfor _ in range({n}):\n    g = x.grad\n",
    "expressions of a statement and its runs": lambda n: (
        f"{BEGUN}for _ in range({n}):\n    g = [{many('x.grad', n)}]\n    x.grad.add_(1)\n"
    ),
    "tensors in a call and its runs": lambda n: (
        f"{BEGUN}a = torch.ones(3)\nfor _ in range({n}):\n    t = torch.tensor([{many('a', n)}])\n"
        f"    r = torch.stack([{many('a', n)}]).reshape(-1)\n    r += 1\n"
    ).replace("torch.ones(3)", "torch.ones(())"),
    "variables and the statement that reads them": lambda n: (
        f"{BEGUN}{many('g# = x.grad', n, chr(10))}\nfor _ in range({n}):\n    (x * x).sum().backward()\n    l = [{many('g#', n)}]\n"
    ),
    "names of a tensor and calls": lambda n: (
        f"{BEGUN}l = [x] * {n}\ndef f(x):\n    x = x.to(torch.float32)\n    with torch.no_grad():\n        x.add_(1)\n"
        f"for _ in range({n}):\n    f(x)\n"
    ),
    "views and writes": lambda n: (
        f"a = __import__('torch').zeros({n})\nr = []\nfor i in range({n}):\n    v = a[i]\n    r.append(v)\n    v += 1\n"
        "    w = v.reshape(1)\n    a[0] += 1\n"
    ),
    "sums and the graph below them": lambda n: (
        f"{BEGUN}{many('s# = x.sum()', n, chr(10))}\nfor _ in range({n}):\n    x.sum().backward()\n{many('s# += s0', n, chr(10))}\n"
    ),
    "refused backwards and the graph": lambda n: (
        f"{BEGUN}y = x\nfor _ in range({n}):\n    y = y * x\ny = y.sum()\ny.backward()\nfor _ in range({n}):\n    try:\n"
        "        y.backward()\n    except RuntimeError:\n        pass\n"
    ),
    "entries of a state and its runs": lambda n: (
        f"import torch\ns = [torch.ones(1) for _ in range({n})]\nfor _ in range({n}):\n    s = torch.nn.Identity().state_dict()\n"
    ),
    "arrays and tensors": lambda n: (
        f"import torch, numpy as np\na = np.zeros({n})\nt = torch.from_numpy(a)\nr = [t[i] for i in range({n})]\n"
        f"for i in range({n}):\n    b = t.numpy()\n    a[i] = 1\n    t[i] += 1\n"
    ),
    "tensors and whose memory they were given": lambda n: (
        f"{BEGUN}ts = [torch.zeros(1) for _ in range({n})]\na = torch.ones(1)\nfor t in ts:\n    t.data = a\n"
        "a += 1\nprint(ts[0], a)\n"
    ),
    "calls within calls": lambda n: (
        f"{BEGUN}def f(k):\n    y = x * k\n    if k:\n        f(k - 1)\n    y.data = x.detach()\nf({n})\n"
    ),
}
"""Snippets in which two kinds of things each occur n times. The traces are linear in n."""


def lines_of(work: Callable[[], object]) -> int:
    """Return the number of lines that `work` executes, without those of meter.py."""
    lines = 0

    def on_line(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal lines
        lines += 1
        return on_line

    def on_call(frame: FrameType, event: str, argument: object) -> Any:
        return None if frame.f_code.co_filename == meter.__file__ else on_line(frame, event, argument)

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def bend(readings: list[Reading], finder: str) -> float:
    """Return the second difference of the executed lines for n, 2n and 3n items, divided by n²."""
    one, two, three = (lines_of(lambda each=each: each.found_by(finder)) for each in readings)  # type: ignore[misc]
    return (three - 2 * two + one) / N**2


@pytest.fixture(autouse=True)
def _small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in list(sys.modules.items()):
        for bound, value in vars(module).items() if name.startswith("app.explain.") else ():
            if bound.startswith("MOST_") and type(value) is int and MOST < value < SMALL:
                monkeypatch.setattr(module, bound, MOST)


@cache
def recorded(finder: str) -> Trace:
    """Return a recording with a finding of this finder."""
    module = inspect.getsource(inspect.getmodule(FINDERS[finder].find) or sys)
    named = {name for name in RECORDINGS if any(f'"{kind}"' in module for kind in kinds_named(name))}
    cut = record(["for number in range(99):\n    number += 1\n"], statements=20)
    ordered = sorted(RECORDINGS, key=lambda name: (name not in named, len(RECORDINGS.sources[name])))
    traces = chain((RECORDINGS[name] for name in ordered if name in named), cut, map(RECORDINGS.__getitem__, ordered))
    return next(trace for trace in traces if len(trace.steps) < MOST_STEPS and Reading(trace).found_by(finder))


def test_the_finders_of_texts_exist() -> None:
    assert TEXTS.keys() <= FINDERS.keys()


@pytest.mark.sweep
@pytest.mark.parametrize("finder", FINDERS)
def test_the_work_of_a_finder_is_linear_in_everything_it_looks_at(finder: str) -> None:
    if finder in TEXTS:
        text, ended = TEXTS[finder]
        traces = [Trace(source=text * N * times, header=HEADER, ended=ended) for times in (1, 2, 3)]
        assert all(Reading(trace).found_by(finder) for trace in traces)
    else:
        traces = [amplified(recorded(finder), N * times) for times in (1, 2, 3)]
    for trace in traces:
        check(trace)
    readings = [Reading(trace) for trace in traces]
    assert abs(bend(readings, finder)) < 1


@pytest.mark.parametrize("name", SNIPPETS)
def test_no_two_things_are_looked_at_in_pairs(name: str) -> None:
    traces = [record([SNIPPETS[name](N * times)])[0] for times in (1, 2, 3)]
    sizes = [sum(len(getattr(trace, table)) for table in TABLES) for trace in traces]
    assert isinstance(traces[0].ended, Finished), traces[0].ended
    assert sizes[2] - 2 * sizes[1] + sizes[0] <= N, "the trace itself is not linear"
    readings = [Reading(trace) for trace in traces]
    bends = {finder: bend(readings, finder) for finder in FINDERS}
    assert {finder: found for finder, found in bends.items() if found >= 1} == {}


KEPT = """import torch
ws = [torch.ones(1, requires_grad=True) for _ in range(#)]
loss = sum(w * w for w in ws)
for _ in range(#):
    loss.backward(retain_graph=True)
"""


def test_a_second_backward_through_a_graph_asks_its_leaves_once() -> None:
    traces = [record([KEPT.replace("range(#)", f"range({N * times})", 1).replace("#", "3")])[0] for times in (1, 2, 3)]
    one, two, three = (lines_of(lambda each=each: is_of_an_old_forward(each)) for each in traces)  # type: ignore[misc]
    assert not any(map(is_of_an_old_forward, traces))
    assert abs(three - 2 * two + one) < N**2
