"""Recording does not change when objects are freed."""

import subprocess
import sys

import pytest

from tests.tracer.conftest import assert_nothing_differs
from tests.tracer.workers import ROOT, Worker

SNIPPETS = {
    "deaths_at_module_level": """
import torch, weakref
x = torch.ones(3)
r = weakref.ref(x)
del x
print(r() is None)
x = torch.ones(3, requires_grad=True)
y = x * 2
z = y.exp()
r, s = weakref.ref(y), weakref.ref(z)
del y
print(r() is None, s() is None)
z.sum().backward()
print(r() is None)
z = None
print(s() is None)
x = [torch.ones(1)]; r = weakref.ref(x[0]); x.clear(); print(r() is None)
x = torch.ones(2); r = weakref.ref(x); x = x + 1; print(r() is None)
for x in torch.ones(3): r = weakref.ref(x)
print(r() is None); del x; print(r() is None)
""",
    "deaths_in_functions": """
import torch, weakref
def f():
    x = torch.ones(3, requires_grad=True)
    r = weakref.ref(x)
    y = x * 2
    s = weakref.ref(y)
    del x
    print(r() is None)
    del y
    print(r() is None, s() is None)
    z = torch.ones(2)
    q = weakref.ref(z)
    z = None
    print(q() is None)
    def inner():
        nonlocal z
        z = torch.zeros(2)
        p = weakref.ref(z)
        z = 1
        return p() is None
    print(inner())
    return q
print(f()() is None)
def g(x):
    r = weakref.ref(x)
    del x
    return r() is None
print(g(torch.ones(1)))
print((lambda x: weakref.ref(x))(torch.ones(1))() is None)
print([weakref.ref(torch.ones(1))() is None for _ in range(2)])
""",
    "deaths_when_raising": """
import torch, weakref
refs = []
def f():
    x = torch.ones(3)
    refs.append(weakref.ref(x))
    x.view(7)
try:
    f()
except RuntimeError as error:
    print(refs[0]() is None)
print(refs[0]() is None)
""",
    "deaths_in_backward": """
import torch, weakref
x = torch.ones(3, requires_grad=True)
refs = []
def build():
    y = x.exp()
    refs.append(weakref.ref(y))
    w = torch.full((3,), 2.0)
    refs.append(weakref.ref(w))
    return (y * w).sum()
loss = build()
print([r() is None for r in refs])
x.register_hook(lambda grad: print([r() is None for r in refs]))
loss.backward()
print([r() is None for r in refs])
""",
    "storages_die": """
import torch, weakref
x = torch.ones(100)
r = weakref.ref(x.untyped_storage())
v = x[3:5]
del x
print(r() is None, v.untyped_storage().nbytes())
del v
print(r() is None)
""",
    "nodes_die": """
import torch, weakref
class Token: pass
x = torch.ones(3, requires_grad=True)
y = x * 2
token = Token(); r = weakref.ref(token)
y.grad_fn.metadata["mine"] = token
del token
print(r() is None)
z = y.exp()
del y
print(r() is None)
z.sum().backward()
print(r() is None)
del z
print(r() is None)
""",
    "node_identity": """
import torch
x = torch.ones(3, requires_grad=True)
ids = set()
for _ in range(5):
    y = x * 2
    ids.add(id(y.grad_fn))
print(y.grad_fn is y.grad_fn, y.grad_fn.next_functions[0][0].variable is x)
print(sorted(k for k in y.grad_fn.metadata if isinstance(k, int)))
""",
    "gc": """
import gc, torch, weakref
class Cycle:
    def __init__(self):
        self.me = self
        self.x = torch.ones(2)
gc.collect()
gc.disable()
c = Cycle(); r = weakref.ref(c.x)
del c
print(r() is None)
gc.collect()
print(r() is None, gc.isenabled(), gc.get_threshold())
print([type(o).__name__ for o in gc.garbage])
""",
    "finalizers": """
import torch
class Loud:
    def __init__(self, name): self.name = name; self.x = torch.ones(1)
    def __del__(self): print("gone", self.name)
def f():
    a = Loud("a")
    b = Loud("b")
    del a
    print("between")
    b = None
    print("after")
    c = Loud("c")
f()
print("end")
""",
    "gradients_stolen": """
import torch
x = torch.ones(3, requires_grad=True)
x[[0, 1]].sum().backward()
print(x.grad._version)
y = torch.ones(3, requires_grad=True)
y.max().backward()
(y * 2).sum().backward()
print(y.grad._version, y.grad)
z = torch.ones(2, 2, requires_grad=True)
g, = torch.autograd.grad(z[[0, 0]].pow(3).sum(), z, create_graph=True)
print(g.grad_fn.name(), g._version)
g.sum().backward()
print(z.grad, z.grad._version)
""",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_everything_dies_when_it_would(name: str, bare: Worker, recorded: Worker) -> None:
    assert_nothing_differs(SNIPPETS[name], bare, recorded)


KEPT = """
import gc, sys, weakref
import torch
from app.trace.records import Request
from app.tracer.recording import Recording

snippet = '''
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
    def forward(self, x):
        return self.fc(x).relu()
net = Net()
optimizer = torch.optim.AdamW(net.parameters())
history = []
for _ in range(3):
    optimizer.zero_grad()
    loss = net(torch.rand(4, 3)).sum()
    loss.backward()
    optimizer.step()
    history.append(loss)
views = torch.ones(4, requires_grad=True).exp().unbind()
array = torch.ones(2).numpy()
kept = [history, views]
kept.append(kept)
waiting = (torch.ones(2, requires_grad=True) * 2).exp()
gradient, = torch.autograd.grad(waiting.sum(), waiting, create_graph=True)
def frames(x):
    y = x * 2
    return lambda: y
call = frames(torch.ones(2))
try:
    torch.ones(2).view(7)
except RuntimeError as error:
    caught = str(error)
'''
module = sys.modules["__main__"]
recording = Recording(Request(source=snippet), lambda chunk: None, lambda: None)
recording.run()
variables = sys.modules["__main__"].__dict__
assert variables["caught"]
refs = [weakref.ref(item) for item in gc.get_objects() if isinstance(item, torch.Tensor)]
refs += [weakref.ref(ref().untyped_storage()) for ref in refs]
assert len(refs) > 40
sys.modules["__main__"] = module
variables.clear()
gc.collect()
left = [ref() for ref in refs if ref() is not None]
assert not left, left
assert sys.gettrace() is None and not torch.utils._python_dispatch._get_current_dispatch_mode_stack()
"""
"""Records a program, and then checks that all its objects are freed."""


def test_the_recorder_keeps_nothing_alive() -> None:
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", KEPT], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
