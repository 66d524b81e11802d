"""Values of expression statements: the trace records what Python's interactive mode would display."""

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from typing import Any

import pytest
import torch

from app.trace.chunks import Trace
from app.trace.query import read, value_at
from app.trace.records import Held, Step
from tests.recordings import answer, chunks, folded
from tests.tracer.bare import said_by

PROGRAMS = [
    "import torch\nx = torch.ones(2)\nx == x\n(x + 1) * 2\nx.shape\n",
    '"""Words."""\nimport torch\nx = torch.arange(6.).view(2, 3)\nx; x.t(); x[1]\nx.sum(), 3\n(\n  x\n  * 2\n)\n',
    "import torch\nfor i in range(3): torch.full((i,), 1.5); i\nelse:\n    'end'\n    f'{i}'\nif i: 1 + 2\nwhile i: i; i -= 1\n",
    "import torch\ntry:\n    torch.ones(1)\n    1 / 0\nexcept ZeroDivisionError as error:\n    str(error)\nfinally:\n    -1\n",
    "import torch\nwith torch.no_grad(): torch.ones(2) * 3\nmatch 3:\n    case 3: 'three', 3\ndef f():\n    7\nf()\n[f()]\n",
    "import torch\nclass A:\n    3\n    torch.ones(1)\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nx.grad\n",
    "import torch\n(y := torch.ones(1))\ny.add_(1)\ny.numpy()\nNone\n...\nb'bytes'\n-1\n[v for v in (1, 2)]\nnot y\n",
    "from __future__ import annotations\nimport torch\nx: torch.Tensor = torch.ones(1)\nx.double() @ x.double(); x.int()\n1j * 2\n",
]


def shown(source: str) -> list[tuple[str, Any]]:
    """Return the class and value of everything that Python's interactive mode displays for a program."""
    found: list[tuple[str, Any]] = []

    def show(value: object) -> None:
        if isinstance(value, torch.Tensor):
            found.append(("Tensor", [list(value.shape), value.detach().flatten().tolist()]))
        elif value is not None:
            plain = isinstance(value, (bool, int, float, complex, str, bytes, tuple, list))
            found.append((type(value).__name__, repr(value) if plain and "tensor" not in repr(value) else None))

    kept, sys.displayhook = sys.displayhook, show
    try:
        with redirect_stdout(io.StringIO()):
            exec(compile(ast.Interactive(_without_texts(ast.parse(source))), "snippet.py", "single"), {"__name__": "__main__"})
    finally:
        sys.displayhook = kept
    return found


def _without_texts(tree: ast.Module) -> list[ast.stmt]:
    """Replace constants that are statements, such as strings used as comments. When Python compiles a file, it removes such
    statements.
    """

    class Constants(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.stmt:
            return ast.copy_location(ast.Pass(), node) if isinstance(node.value, ast.Constant) else node

    body: list[ast.stmt] = Constants().visit(tree).body
    return body


def recorded(source: str) -> list[tuple[str, Any]]:
    trace = folded(source, chunks(source))
    return [_told(trace, step, step.result) for step in trace.steps if step.result is not None]


def _told(trace: Trace, step: Step, result: int | Held) -> tuple[str, Any]:
    if isinstance(result, Held):
        is_plain = result.kind in ("value", "collection") and "Tensor" not in (result.text or "")
        return result.type, result.text if is_plain else None
    assert step.ended is not None
    geometry = value_at(trace.tensors[result].geometry, step.ended)
    assert geometry is not None
    return "Tensor", [list(geometry.shape), read(trace, geometry, step.ended)]


@pytest.mark.parametrize("source", PROGRAMS, ids=range(len(PROGRAMS)))
def test_each_result_is_what_python_shows(source: str) -> None:
    assert recorded(source) == shown(source)


def test_a_program_with_results_behaves_as_ever() -> None:
    """Compares output, warnings, line numbers of tracebacks, object lifetimes, global names, and `sys.displayhook`."""
    source = """
import sys, warnings, weakref
import torch
class Loud:
    def __del__(self): print("gone")
    def __rlshift__(self, other): print("never asked")
Loud()
print("after")
torch.ones(2) + 1; print(sorted(globals()), sys.displayhook is sys.__displayhook__)
weakref.ref(torch.ones(1) * 2)() is None
warnings.warn("here"); warnings.warn(
    "there")
x = torch.ones(1, requires_grad=True)
x.mul(2) is x, "\\d"
(1, 2) [0]
def deep(n): return deep(n + 1)
try:
    deep(0)
except RecursionError:
    "deep"
[1,
 2,
 torch.ones(2) @ torch.ones(3)]
"""
    assert said_by(folded(source, chunks(source))) == json.loads(answer(source, "bare"))


def test_what_is_shown_while_tracing_is_off_belongs_to_no_statement() -> None:
    """The next operator after `settrace(None)` enables tracing again."""
    off = "getattr(sys, 'set' + 'trace')(None)"
    source = f"import sys, torch\nx = torch.ones(1)\nx + 1\n{off}\nlen('ab')\nx + 2\nlen('ab')\n"
    assert recorded(source) == [("Tensor", [[1], [2.0]]), ("Tensor", [[1], [3.0]]), ("int", "2")]


def test_a_program_that_watches_its_calls_sees_none_of_ours() -> None:
    source = (
        "import sys\nseen = []\nsys.setprofile(lambda *a: seen.append(a[1]))\nlen('ab')\nsys.setprofile(None)\nprint(seen)\n"
    )
    assert recorded(source) == []
    assert said_by(folded(source, chunks(source))) == json.loads(answer(source, "bare"))
