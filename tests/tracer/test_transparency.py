"""A snippet cannot tell that it is recorded: the same output, warnings, exceptions, deaths, numbers and names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.workers import ROOT, Worker

SNIPPETS = {
    "locals_written": """
import torch
def f(n, **more):
    exec("z = n * 2")
    w = locals()["z"] + 1
    for name, value in more.items():
        locals()[name] = value
    x = torch.ones(n)
    return w, sorted(locals())
print(f(3, p=1))
""",
    "warnings": """
import warnings, torch
warnings.warn("first")
for turn in range(2):
    warnings.warn("in a loop", DeprecationWarning)
    warnings.warn("shown once", UserWarning)
y = torch.ones(2, requires_grad=True) * 2
print(y.grad)
torch.nn.functional.mse_loss(torch.ones(2), torch.ones(1, 2))
warnings.simplefilter("error")
try:
    print(y.grad)
except UserWarning as warning:
    print("raised", str(warning)[:40])
y.detach()
""",
    "once_per_location": """
import warnings, torch
def f(n):
    warnings.warn("same place " + str(n % 2))
y = torch.ones(2, requires_grad=True) * 2
for n in range(4):
    f(n)
    y.grad
print(len(__warningregistry__) > 0)
""",
    "one_line": """
import sys, traceback, torch, weakref
x = torch.ones(2); gone = weakref.ref(x); x = x + 1; print(gone())
def f(n): here = sys._getframe(); n or 1 / 0; return here.f_lineno, sorted(here.f_locals)
try: f(1); print(f(2)); f(0); print("never")
except ZeroDivisionError as error: traceback.print_exc(file=sys.stdout); kept = error
print([(entry.lineno, entry.colno, entry.name) for entry in traceback.extract_tb(kept.__traceback__)]); del kept
def given(): got = yield 1; print(got); got = yield 2; print("over")
it = given(); next(it); it.send("sent"); it.close()
it = given(); next(it); first = 1; second = [*map(str, range(2))]
try: it.throw(KeyError("thrown")); print("never")
except KeyError as error: print(repr(error)); thrown = error.__traceback__.tb_next.tb_lineno
finally: print(thrown); del it
for i in range(3): print(i); x.add_(i)
else: print("done"); y = x.sum()
class Held: one = 1; two = one + 1; print(sorted(locals()))
def deep(n): m = n + 1; return deep(m)
try: deep(0); print("never")
except RecursionError as error: print("deep"); del error
with torch.no_grad(): print(torch.is_grad_enabled()); 1 / 0; print("never")
""",
    "syntax_warnings": "x = 5\nprint(x is 5)\nprint('\\d')\nassert (x, 'always true')\n",
    "form_feeds": "def f():\n    return 'a\fb\u2028c'\n\f\nimport inspect\nprint(inspect.getsource(f))\n1 / 0\n",
    "stderr": """
import sys
print("out"); print("err", file=sys.stderr)
sys.stdout.write("no newline"); sys.stderr.write("x" * 10)
sys.stdout.flush()
print(end="é世界\\n")
""",
    "traceback_text": """
import torch, traceback
def f(x):
    return x.view(7)
try:
    f(torch.ones(2))
except RuntimeError:
    print(traceback.format_exc())
try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError as error:
    print([entry.name for entry in traceback.extract_tb(error.__traceback__)])
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
""",
    "raises": """
import torch
def f(x):
    return x.backward()
def g(x):
    return f(x * 2)
g(torch.ones(3, requires_grad=True))
""",
    "raises_own": """
class Mine(ValueError):
    def __str__(self):
        return "mine: " + super().__str__()
def f():
    try:
        raise KeyError("inner")
    except KeyError as error:
        raise Mine("outer") from error
f()
""",
    "raises_objects": """
class Loud:
    def __str__(self):
        print("asked for its text")
        1 / 0
    __repr__ = __str__
class Mine(Exception):
    __str__ = Loud.__str__
for raised in (ValueError(Loud()), ValueError("a", [Loud()]), KeyError(Loud()), RuntimeError(Mine()), OSError(1, "x", Loud())):
    try:
        raise raised
    except Exception:
        print("caught", type(raised).__name__)
""",
    "exits": "import sys\nprint('before')\nsys.exit(3)\n",
    "assertion": "import torch\nx = torch.ones(2)\nassert x.sum() == 3, f'sum is {x.sum()}'\n",
    "syntax_error": "import torch\nx = (1,\n",
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
def test_the_snippet_cannot_tell(name: str, bare: Worker, recorded: Worker) -> None:
    source = SNIPPETS[name]
    trace = folded(source, recorded.answer(source).encode().splitlines())
    ours, theirs = said_by(trace), json.loads(bare.answer(source))
    assert {what: ours[what] for what in theirs} == theirs


@pytest.mark.xfail(
    sys.version_info < (3, 13),
    strict=True,
    reason="CPython fills in the locals of a frame before each event of a trace function",
)
def test_a_dict_of_locals_stays_as_it_was(bare: Worker, recorded: Worker) -> None:
    source = "def f(a):\n    given = locals()\n    b = a\n    return sorted(given)\nprint(f(1))\n"
    trace = folded(source, recorded.answer(source).encode().splitlines())
    assert said_by(trace)["stdout"] == json.loads(bare.answer(source))["stdout"]


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
"""The recorder has run, and is still referred to by nobody; what it watched must be free to go."""


def test_the_recorder_keeps_nothing_alive() -> None:
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", KEPT], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


STACKS = """
import inspect, sys, traceback, warnings
import torch
def f():
    warnings.warn("beyond the top", stacklevel=9)
    warnings.warn("at the call", stacklevel=2)
    return [entry.name for entry in traceback.extract_stack()]
print(f(), len(inspect.stack()), sys._getframe().f_back)
def hook(grad):
    print([entry.name for entry in traceback.extract_stack() if "torch" not in entry.filename and "tracer" not in entry.filename])
x = torch.zeros(1, requires_grad=True)
x.register_hook(hook)
x.exp().sum().backward()
with torch.autograd.detect_anomaly():
    y = torch.sqrt(x) * 0
    try:
        y.backward()
    except RuntimeError as error:
        print(error, "".join(y.grad_fn.next_functions[0][0].metadata["traceback_"]))
try:
    sys._getframe(2)
except ValueError as error:
    print(error)
"""
"""What shows a stack. As a script it begins at the module."""


def test_stacks_begin_at_the_module(tmp_path: Path, recorded: Worker) -> None:
    (tmp_path / "snippet.py").write_text(STACKS)
    script = subprocess.run([sys.executable, "snippet.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = said_by(folded(STACKS, recorded.answer(STACKS).encode().splitlines()))
    assert said["raised"] is None
    assert said["stdout"] == script.stdout.replace(f"{tmp_path}/", "")
    assert [text.replace(f"{tmp_path}/", "") for _, text, _ in said["warnings"]] != []
    for _, text, _ in said["warnings"]:
        assert text.strip().splitlines()[-1] in script.stderr.replace(f"{tmp_path}/", "")
        assert "app/tracer" not in text
