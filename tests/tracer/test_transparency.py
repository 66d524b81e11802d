"""Recording does not change what a snippet prints, its warnings, its exceptions, or their stack traces."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.conftest import assert_nothing_differs
from tests.tracer.workers import Worker

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
    "comprehensions": """
import torch, weakref
k, g = 5, torch.ones(3)
kept = weakref.ref(g)
rows = [
    k + 1
    for k in (1, 2, 3)
]
class Body:
    k = 7
    rows = {
        k: k
        for k in (1, 2)
    }
print(rows, k, Body.rows, Body.k)
names = [g for g in "ab"]
del g
print(kept() is None, names)
for g in [torch.ones(1), torch.zeros(1)]:
    g.add_(1)
    print(g)
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
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_snippet_cannot_tell(name: str, bare: Worker, recorded: Worker) -> None:
    assert_nothing_differs(SNIPPETS[name], bare, recorded)


@pytest.mark.xfail(
    sys.version_info < (3, 13),
    strict=True,
    reason="CPython fills in the locals of a frame before each event of a trace function",
)
def test_a_dict_of_locals_stays_as_it_was(bare: Worker, recorded: Worker) -> None:
    source = "def f(a):\n    given = locals()\n    b = a\n    return sorted(given)\nprint(f(1))\n"
    trace = folded(source, recorded.answer(source).encode().splitlines())
    assert said_by(trace)["stdout"] == json.loads(bare.answer(source))["stdout"]


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
"""Prints the stack in several ways. The outermost frame must be the module, as in a script."""


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
