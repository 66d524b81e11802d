"""Recording does not change a snippet's environment: interpreter settings, threads, torch modes, random numbers, attributes."""

import pytest

from tests.tracer.conftest import assert_nothing_differs
from tests.tracer.workers import Worker

SNIPPETS = {
    "recursion": """
import sys, torch
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
print(down(900))
depth = 0
def forever():
    global depth
    depth += 1
    forever()
try:
    forever()
except RecursionError as error:
    print(900 < depth < 1001, str(error)[:32], sys.getrecursionlimit())
def with_tensors(x, n):
    return x if n == 0 else with_tensors(x + 1, n - 1)
print(with_tensors(torch.zeros(1), 300))
""",
    "generators": """
import torch, weakref
def numbers(n):
    x = torch.zeros(1)
    try:
        for i in range(n):
            x = x + 1
            got = yield x
            if got: print("got", got)
    finally:
        print("closed", x.item())
g = numbers(3)
print(next(g), g.send("hello"))
r = weakref.ref(next(g))
g.close()
print(list(numbers(2)), r() is None)
def outer():
    result = yield from numbers(1)
    return result
print([t.item() for t in outer()])
print(sum(x.item() for x in numbers(2)))
""",
    "async": """
import asyncio, torch
async def work(n):
    await asyncio.sleep(0)
    return torch.ones(n).sum().item()
async def main():
    print(await asyncio.gather(*(work(n) for n in range(3))))
asyncio.run(main())
""",
    "main_module": """
import sys, inspect, os
print(__name__, __file__, sys.argv, sys.modules["__main__"].__dict__ is globals())
if __name__ == "__main__":
    print("main")
print(sorted(name for name in globals() if name.startswith("__")))
def f(a, *, b=1):
    '''Says.'''
    return a + b
print(inspect.getsource(f), inspect.signature(f), f.__module__, f.__doc__, f.__qualname__)
class C:
    x = 1
print(inspect.getsource(C), inspect.currentframe().f_code.co_name)
""",
    "pickles": """
import pickle, io, torch, copy
class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return torch.equal(self.x, other.x)
p = Point(torch.ones(2))
print(pickle.loads(pickle.dumps(p)) == p, copy.deepcopy(p) == p)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 1)
    def forward(self, x): return self.fc(x)
b = io.BytesIO()
torch.save(Net(), b); b.seek(0)
print(torch.load(b, weights_only=False))
""",
    "random_numbers": """
import random, numpy as np, torch
print(torch.rand(3), random.random(), np.random.rand(2))
x = torch.randn(4, requires_grad=True)
torch.nn.functional.dropout(x).sum().backward()
print(x.grad, torch.randperm(5), random.sample(range(9), 3), np.random.default_rng(1).random())
print(torch.initial_seed(), torch.get_rng_state().sum())
""",
    "tracing_itself": """
import sys, threading
print(sys.getprofile(), threading.active_count())
seen = []
def count(frame, event, arg):
    seen.append(event)
sys.setprofile(count)
abs(1)
sys.setprofile(None)
print(seen[:2])
""",
    "threads": """
import threading, torch
out = []
def work():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    out.append(x.grad.tolist())
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
print(out)
""",
    "modes_seen": """
import torch
from torch.utils._python_dispatch import TorchDispatchMode
class Names(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))
with Names():
    torch.ones(2) + 1
print(torch.overrides.has_torch_function((torch.ones(1),)), torch._C._len_torch_function_stack())
""",
    "operators_defined": """
import torch
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
lib = torch.library.Library("ours", "DEF")
for overload, doing in ("plus", torch.add), ("plus.out", lambda x, y: (x * y)):
    lib.define(overload + "(Tensor x, Tensor y) -> Tensor" if "." not in overload else overload + "(Tensor x, int y) -> Tensor")
    lib.impl(overload, doing, "CompositeExplicitAutograd")
lib.impl("plus", lambda x, y: torch.empty_like(x), "Meta")
torch.library.define("ours::fill", "(Tensor(a!) x) -> ()")
torch.library.impl("ours::fill", "CPU", lambda x: print("fills", x.fill_(7)))
torch.library.impl("ours::fill", "Meta", lambda x: None)
a = torch.ones(2)
print(torch.ops.ours.plus(a, a), torch.ops.ours.plus(a, 3), torch.ops.ours.fill(a), a._version)
with FakeTensorMode():
    f = torch.ones(2)
    print(torch.ops.ours.plus(f, f), torch.ops.ours.fill(f))
for mode in ("fake", "symbolic"):
    print(make_fx(lambda x: torch.ops.ours.plus(x, x).cos(), tracing_mode=mode)(torch.ones(2)).code)
try:
    lib.define("plus(Tensor x) -> Tensor")
except RuntimeError as error:
    print(str(error)[:60])
del lib
""",
    "hooks_count": """
import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: print("hook", grad.tolist()))
y.grad_fn.register_prehook(lambda grads: print("pre", len(grads)))
x.register_post_accumulate_grad_hook(lambda p: print("post", p.grad.tolist()))
y.sum().backward()
print(len(y._backward_hooks))
""",
    "attributes": """
import torch
x = torch.ones(2)
x.mine = 3
print(x.__dict__, x.mine, dir(x) == dir(torch.ones(2)) + [] or "mine" in dir(x))
class Sub(torch.Tensor):
    calls = []
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})
s = torch.ones(2).as_subclass(Sub)
t = s + 1
t.add_(1)
print(Sub.calls)
""",
    "no_user_code_runs": """
import torch
class Nosy:
    def __getattr__(self, name):
        print("getattr", name); raise AttributeError(name)
    def __len__(self): print("len"); return 0
    def __iter__(self): print("iter"); return iter(())
    def __eq__(self, other): print("eq"); return True
    def __hash__(self): print("hash"); return 1
    def __repr__(self): print("repr"); return "nosy"
    def __bool__(self): print("bool"); return True
    @property
    def x(self): print("property"); return torch.ones(1)
    def __del__(self): print("del")
n = Nosy()
many = [n, {"n": n}, (n,)]
class Lists(list):
    def __iter__(self): print("list iter"); return super().__iter__()
    def __len__(self): print("list len"); return super().__len__()
lists = Lists([torch.ones(1)])
print("end")
""",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_what_it_runs_in_is_as_it_was(name: str, bare: Worker, recorded: Worker) -> None:
    assert_nothing_differs(SNIPPETS[name], bare, recorded)
