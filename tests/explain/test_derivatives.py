"""Check two tables of derivatives against torch: that of `findings/effect.py` and that of the page. The two tables must agree
for each Node.
"""

from typing import Any

import pytest
import torch

from app.explain import explain
from app.explain.findings import effect
from tests.explain.recorded import record
from tests.questions.page import why, with_formula

BEGIN = """import torch

F = torch.nn.functional
torch.manual_seed(5)
a = torch.tensor([[0.3, 0.7], [1.6, 2.1]]).requires_grad_()
b = torch.tensor([[1.2, 0.4], [0.9, 1.7]])
"""
CASES = {
    "Mul": ("a * b", "b"),
    "Div": ("a / b", "b"),
    "Exp": ("a.exp()", "y"),
    "Expm1": ("a.expm1()", "y"),
    "Sqrt": ("a.sqrt()", "y"),
    "Rsqrt": ("a.rsqrt()", "y"),
    "Log": ("a.log()", "a"),
    "Log1P": ("a.log1p()", "a"),
    "Log2": ("a.log2()", "a"),
    "Log10": ("a.log10()", "a"),
    "Reciprocal": ("a.reciprocal()", "y"),
    "Pow": ("a ** 3", "a"),
    "Sigmoid": ("a.sigmoid()", "y"),
    "Tanh": ("a.tanh()", "y"),
    "Sin": ("a.sin()", "a"),
    "Cos": ("a.cos()", "a"),
    "MseLoss": ("F.mse_loss(a, b)", "b"),
    "Mm": ("a @ b", "b"),
    "Addmm": ("torch.addmm(b, a, b)", "b"),
    "Mv": ("b @ a[0]", "b"),
    "Dot": ("a[0].dot(b[0])", "b"),
}
"""For each Node, an expression, and the tensor whose doubling afterwards changes the gradient."""
SIGNS = {
    "Relu": ("(a - 1).relu()", "y"),
    "LeakyRelu": ("F.leaky_relu(x, 0.1)", "x"),
    "Abs": ("x.abs()", "x"),
}
"""Nodes with a gradient that depends only on the sign of the saved tensor. Doubling it changes nothing; negating it changes the
gradient.
"""
MASKS = {"Where": ("torch.where(c, a, b)", "c"), "MaskedFill": ("a.masked_fill(c, 0.5)", "c")}
"""Nodes that save a mask. Inverting the mask changes the gradient."""


def run(expression: str, written: str, write: str) -> tuple[bool, bool, bool]:
    """Overwrite a saved tensor.

    Return whether torch's gradient changed, whether there is a finding, and whether the page has a formula for the Node.
    """
    begin = BEGIN + f"x = a - 1\nc = b > 1\ny = {expression}\n"
    end = "(y * torch.rand(y.shape)).sum().backward()\n"
    gradients = []
    for middle in ("", f"{written}.data.{write}\n"):
        variables: dict[str, Any] = {}
        exec(begin + middle + end, variables)
        gradients.append(variables["a"].grad)
    [trace] = record([begin + f"{written}.data.{write}\n" + end])
    told = any(finding.kind == "silently_wrong_gradient" and finding.severity == "error" for finding in explain(trace).findings)
    node = next(
        each.name for each in trace.nodes for saved in trace.saved_tensors if saved.node == each.id and saved.overwritten
    )
    links = why(trace, "a")["links"]
    formulas = ["formula" in link for link in links if link["sentence"]["args"].get("node") == node]
    return not torch.equal(*gradients), told, formulas != [] and all(formulas)


@pytest.mark.parametrize("node", CASES)
def test_both_agree_with_torch_on_a_changed_value(node: str) -> None:
    assert run(*CASES[node], "mul_(2)") == (True, True, True)


@pytest.mark.parametrize("node", SIGNS)
def test_both_agree_with_torch_on_a_sign(node: str) -> None:
    assert run(*SIGNS[node], "mul_(2)") == (False, False, True)
    assert run(*SIGNS[node], "neg_()") == (True, True, True)


@pytest.mark.parametrize("node", MASKS)
def test_both_agree_with_torch_on_a_mask(node: str) -> None:
    assert run(*MASKS[node], "logical_not_()") == (True, True, True)


def test_no_node_that_both_know_is_left_out() -> None:
    finder = set(effect._ELEMENTWISE) | {name for name, _ in effect._PRODUCTS}
    assert set(with_formula(sorted(finder))) == {*CASES, *SIGNS, *MASKS}
