"""The zygote imports everything that a run needs before it forks, and starts no threads."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from app.lessons import lessons
from tests import limits
from tests.tracer.workers import ROOT

TRAINING = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))
for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad):
    optimizer = kind(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.rand(5, 4)), torch.tensor([0, 1, 2, 0, 1]))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
print(model, loss)
"""
MANY = """
import copy, gc, math, random, weakref
import numpy as np
import torch
x = torch.randn(2, 3, requires_grad=True)
array = x.detach().numpy()
torch.from_numpy(array)
y = torch.nn.functional.conv2d(torch.rand(1, 1, 4, 4), torch.rand(1, 1, 2, 2, requires_grad=True)).sum()
y.backward()
torch.autograd.grad((x * x).sum(), x, create_graph=True)
with torch.no_grad():
    x.add_(1)
with torch.inference_mode():
    x + 1
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
Double.apply(x).sum().backward()
copy.deepcopy(torch.nn.Linear(2, 2).state_dict())
try:
    x.view(7)
except RuntimeError as error:
    print(error)
try:
    y = x.exp()
    y.add_(1)
    y.sum().backward()
except RuntimeError as error:
    print(error)
try:
    torch.ones(2).backward()
except RuntimeError as error:
    print(error)
print(x, x.grad, repr(x), torch.nn.Linear(2, 2), torch.stack([x, x]).mean(0))
y = x * 2
print(y.grad)
"""
OPEN = """
import json, os, sys, threading
from app.tracer import entry

before = [sys.argv, sys.modules["__main__"], sys.stdout, sys.stderr, sys.gettrace(), sys.getrecursionlimit()]
entry.preload()
import torch
after = [sys.argv, sys.modules["__main__"], sys.stdout, sys.stderr, sys.gettrace(), sys.getrecursionlimit()]
said = {
    "threads": [threading.active_count(), len(os.listdir("/proc/self/task"))],
    "torch_threads": torch.get_num_threads(),
    "kept": [one is other or one == other for one, other in zip(before, after)],
    "modes": len(torch.utils._python_dispatch._get_current_dispatch_mode_stack()),
    "imported": {},
}
from app.trace.heads import content_of
from app.trace.requests import encode_request
from app.trace.records import Request
for name, source in json.load(sys.stdin).items():
    reader, writer = os.pipe()
    if not os.fork():
        known = set(sys.modules)
        chunks = []
        entry.run(encode_request(Request(source=source)), chunks.append)
        new = sorted(set(sys.modules) - known)
        os.write(writer, json.dumps([new, content_of(chunks[-1])[-4000:].decode()]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said["imported"][name] = json.loads(pipe.read())
    os.wait()
print(json.dumps(said))
"""


SNIPPETS = {lesson.slug: lesson.snippet.source for lesson in lessons()} | {"training": TRAINING, "many": MANY}


@pytest.fixture(scope="module")
def said(request: pytest.FixtureRequest) -> Any:
    """Preload as the zygote does, run each selected snippet in a fork, and return the JSON that the process prints."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    names = [str(item.callspec.params["name"]) for item in items if item.originalname == "test_a_run_imports_nothing_more"]
    command = [sys.executable, "-W", "ignore", "-c", OPEN, "an argument"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # as in the sandbox
    snippets = json.dumps({name: SNIPPETS[name] for name in names})
    with limits.starting():
        run = subprocess.run(command, cwd=ROOT, env=environment, input=snippets, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.sweep
@pytest.mark.parametrize("name", SNIPPETS)
def test_a_run_imports_nothing_more(said: Any, name: str) -> None:
    imported, last_chunk = said["imported"][name]
    assert imported == []
    assert '"ended"' in last_chunk and "interfered" not in last_chunk


def test_preloading_leaves_one_thread(said: Any) -> None:
    assert said["threads"] == [1, 1]
    assert said["torch_threads"] == 1


def test_preloading_leaves_no_trace_of_itself(said: Any) -> None:
    assert said["kept"] == [True] * 6
    assert said["modes"] == 0
