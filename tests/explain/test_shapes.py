"""Exceptions about shapes: findings name the sizes in torch's message. If torch accepts the shapes of a program, there are no
findings about shapes.
"""

import itertools
import re

import pytest

from app.explain import explain
from app.tracer.naming.variables import MOST_VARIABLES
from app.words import LANGUAGES, sentence
from tests.explain.recorded import record

BEGUN = """import torch
import torch.nn as nn
import torch.nn.functional as F
a = torch.randn{a}
b = torch.randn{b}
i = {i}
"""
SHAPES = [(), (3,), (1,), (4,), (3, 4), (4, 3), (1, 3), (2, 3, 4), (2, 4, 3), (1, 4, 4), (4, 4)]
KINDS = {"matmul_mismatch", "broadcast_mismatch"}
OPERATIONS = [
    "a @ b",
    "torch.mm(a, b)",
    "a.bmm(b)",
    "torch.mv(a, b)",
    "a.dot(b)",
    "a + b",
    "a <= b",
    "a += b",
    "a.mul_(b)",
    "torch.maximum(a, b)",
    "a.copy_(b)",
    "a[i] = b",
    "a.t() @ b",
    "a.unsqueeze(-1) * b.T",
    "a[:, 1:] - b[None]",
    "(a * 2).transpose(0, -1) @ b.view(-1, 2)",
]


@pytest.mark.parametrize("every", [29, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_mismatch_is_told_where_torch_raises_for_it_and_nowhere_else(operation: str, every: int) -> None:
    pairs = list(itertools.product(SHAPES, SHAPES))[OPERATIONS.index(operation) :: every]
    sources = [BEGUN.format(a=(a,) if a else "(())", b=(b,) if b else "(())", i=0) + operation + "\n" for a, b in pairs]
    for trace in record(sources):
        findings = [finding for finding in explain(trace).findings if finding.kind in KINDS]
        message = getattr(trace.ended, "message", "")
        is_about_shapes = (
            "range" not in message and re.search("shape|size|dimension|1D|[123]-?D|vector|matri", message) is not None
        )
        assert len(findings) <= is_about_shapes, (trace.source, message)
        if is_about_shapes and ".view" not in operation and ".t()" not in operation and "[" not in operation:
            assert findings, (trace.source, message)
        for finding in findings:
            arguments = finding.arguments
            numbers = {int(number) for number in re.findall(r"\d+", message)}
            if arguments["rule"] in ("inner", "equal") and numbers:
                assert {arguments["left_size"], arguments["right_size"]} <= numbers, (trace.source, message, arguments)
            assert all(sentence(language, f"finding-{finding.kind}", **arguments) for language in LANGUAGES)


def test_a_leaf_is_refused_before_shapes_are_compared() -> None:
    source = "import torch\n\nd = torch.ones((), requires_grad=True)\nd.lerp_(torch.ones(2, 3), 0.25)\n"
    assert [finding.kind for trace in record([source]) for finding in explain(trace).findings] == ["leaf_written"]


def test_nothing_is_said_of_shapes_within_vmap() -> None:
    within = "def f(x):\n    turn = torch.zeros(2)\n    turn[0] = turn[0] + x[0]\n    return turn\n"
    (trace,) = record([f"import torch\n{within}torch.vmap(f)(torch.ones(4, 2))\n"])
    assert "vmap" in getattr(trace.ended, "message", "") and explain(trace).findings == []


UNRECORDED = """import torch

class Layer:
    pass

class Wrapped:
    @property
    def weight(self):
        return torch.ones(4, 5)

def compute():
    #
    layer = Wrapped()
    return layer.weight @ torch.ones(3, 2)

layer = Layer()
layer.weight = torch.ones(2, 7)
compute()
"""


def test_a_variable_that_a_function_binds_is_not_the_modules_where_it_is_not_recorded() -> None:
    """A trace records at most `MOST_VARIABLES` variables of a function. A finding must not use the module's variable of the
    same name.
    """
    source = UNRECORDED.replace("    #", "\n".join(f"    n{number} = {number}" for number in range(MOST_VARIABLES)))
    assert [explain(trace).findings for trace in record([source])] == [[]]
