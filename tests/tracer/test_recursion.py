"""Recursive programs raise RecursionError at the same depth and with the same message with and without the recorder."""

import subprocess
import sys
from pathlib import Path

from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.conftest import Record
from tests.tracer.workers import Worker

DEPTHS = """
import copy, json, sys, threading, torch, traceback

def depth():
    reached = 0
    def down():
        nonlocal reached
        reached += 1
        down()
    try:
        down()
    except RecursionError as error:
        return reached, str(error), len(traceback.extract_tb(error.__traceback__))

class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print("forward", depth())
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        print("backward", depth())
        return grad * 2

@torch.library.custom_op("deep::op", mutates_args=())
def op(x: torch.Tensor) -> torch.Tensor:
    print("operator", depth())
    return x.clone()

class Text:
    def __init__(self, within):
        self.within = within
    def __repr__(self):
        return f"<{self.within!r}>" if self.within else str(depth())
    @property
    def depth(self):
        return depth()

def with_tensors(x):
    return with_tensors(x * 1.5)

def written(x):
    x.add_(1)
    written(x)

class Deep(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.within = Deep(n - 1) if n else torch.nn.Identity()
    def forward(self, x):
        return self.within(x + 1)

def nested(n):
    return [] if n == 0 else [nested(n - 1)]

class Dying:
    def __del__(self):
        ends(depth)

def dying():
    kept = Dying()
    dying()

def ends(call):
    try:
        call()
        return "ends"
    except RecursionError as error:
        return str(error)

print(depth())
op(torch.ones(1))  # torch's imports at first use need more levels than the limit below allows
with_hooks = torch.ones(1, requires_grad=True)
(with_hooks * 2).backward()
sys.setrecursionlimit(150)
print(depth(), [depth() for _ in range(2)], next(depth() for _ in range(1)), (lambda: depth())())
thread = threading.Thread(target=lambda: print(depth()))
thread.start()
thread.join()
print(Text(Text(None)), Text(None).depth)
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: print("hook", depth()))
y.sum().backward()
Fn.apply(x).sum().backward()
op(x.detach())
layer = torch.nn.Linear(2, 2)
layer.register_forward_hook(lambda *_: print("module", depth()))
layer(x)
print(ends(lambda: with_tensors(x)))
counted = torch.zeros(1)
print(ends(lambda: written(counted)), counted, counted._version)
for n in range(33, 37):
    sys.setrecursionlimit(1000)
    deep, many, more = Deep(n), nested(n + 11), nested(n + 108)
    sys.setrecursionlimit(150)
    print(n, ends(lambda: deep(x)) == "ends")
    print(ends(lambda: copy.deepcopy(many)), ends(lambda: json.dumps(more)), ends(lambda: repr(more)))
sys.setrecursionlimit(45)
print(ends(dying))
sys.setrecursionlimit(150)
print("after", depth(), sys.getrecursionlimit())
with_tensors(x)
"""


def test_the_stack_is_as_deep_as_a_script_has_it(tmp_path: Path, recorded: Worker) -> None:
    (tmp_path / "snippet.py").write_text(DEPTHS)
    script = subprocess.run([sys.executable, "snippet.py"], cwd=tmp_path, capture_output=True, text=True)
    said = said_by(folded(DEPTHS, recorded.answer(DEPTHS).encode().splitlines()))
    assert said["stdout"] == script.stdout
    assert said["raised"][:2] == ["RecursionError", script.stderr.strip().splitlines()[-1].partition(": ")[2]]


RESUMED = """
import sys, torch
sys.setrecursionlimit(80)
def down(x):
    y = x + 1
    return down(y)
try:
    down(torch.zeros(1))
except RecursionError:
    caught = True
w = torch.ones(2, requires_grad=True)
def square(t):
    s = t * t
    return s
loss = square(w).sum()
loss.backward()
"""


def test_what_comes_after_is_recorded_whole(record: Record) -> None:
    run = record(RESUMED)
    assert [step.name for step in run.trace.steps if step.kind == "call"][-1] == "square"
    for text in ("caught = True", "w = torch.ones", "s = t * t", "loss = square", "loss.backward"):
        assert run.steps(text)
    assert run.end.values("w.grad") == [2.0, 2.0]
    seen = [step for step in run.steps("y = x + 1") if step.ended is not None]
    assert len(seen) > 55
