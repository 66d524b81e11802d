"""For each operator, overwriting a saved tensor is reported as an error if and only if it changes torch's gradients."""

from itertools import product
from typing import Any

import pytest
import torch

from app.explain import explain
from tests.tracer.conftest import Record, record

__all__ = ["record"]

UNARY = [
    *(f"x ** {power}" for power in (0, 1, 2, 3, 0.5, -1)),
    *(f"x.{name}()" for name in ("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "square")),
    *(f"x.{name}()" for name in ("sin", "cos", "tan", "tanh", "sigmoid", "relu", "abs", "prod", "std")),
    *(f"torch.nn.functional.{name}(x)" for name in ("silu", "gelu", "elu", "softplus", "relu6", "hardtanh")),
    "torch.nn.functional.leaky_relu(x, 1.0)",
    "torch.nn.functional.leaky_relu(x, 0.1)",
    "torch.nn.functional.dropout(x, 0.0)",
    "x.softmax(0)",
    "x.log_softmax(1)",
    "x.logsumexp(0)",
    "x.norm()",
    "x.norm(1)",
    "x.cumprod(0)",
    "x.max()",
    "x * 3",
    "x / 2",
    "2 / x",
]
BINARY = [
    "x * w",
    "x * w[0]",
    "x * w[0, 0]",
    "x / w",
    "x / w[0]",
    "x / w[0, 0]",
    "torch.div(x, w, rounding_mode='floor')",
    "torch.where(w > 0, x, 0.0)",
    "torch.where(w > 0, x, w)",
    "torch.where(w > 0, x[0, 0], w)",
    "x.masked_fill(w > 0, 1.0)",
    "x.masked_fill(w > 0, w[0, 0])",
    "torch.addcmul(w, x, w)",
    "torch.addcmul(w, x, w, value=0)",
    "torch.addcdiv(w, x, w, value=0)",
    "torch.lerp(x, w, 0.0)",
    "torch.lerp(x, w, w)",
    "x.pow(w)",
    "x.atan2(w)",
    "x.maximum(w)",
    "x @ w.t()",
    "x @ w[0]",
    "x[0].dot(w[0])",
    "x[0].outer(w[0])",
    "x[None] @ w.t()[None]",
    "torch.addmm(w[:2, :2], x, w.t())",
    "torch.addmm(w[:2, :2], x, w.t(), alpha=0)",
    "torch.baddbmm(w[None, :2, :2], x[None], w.t()[None], alpha=0)",
    "torch.nn.functional.linear(x, w)",
    "torch.nn.functional.conv1d(x[None], w[None, :, :2])",
    "torch.nn.functional.mse_loss(x, w)",
    "torch.nn.functional.l1_loss(x, w)",
    "torch.nn.functional.smooth_l1_loss(x, w)",
    "torch.nn.functional.huber_loss(x, w, delta=100.0)",
    "torch.nn.functional.kl_div(x, w, reduction='sum')",
    "torch.nn.functional.prelu(x, w[0, :1])",
    "torch.nn.functional.layer_norm(x, (3,), w[0])",
    "torch.cdist(x, w)",
]
"""In these expressions, `x` and `w` have two rows and three columns."""
NORMS = [
    f"torch.nn.functional.batch_norm(x, {mean}, {var}, {weight}, {training})"
    for mean, var, weight, training in product(["m"], ["v"], ["None, None", "w[0], w[1]", "w[0], None"], [False, True])
]
WRITES = ["{}.data.mul_(2)", "{}.data.neg_()", "{}.data.copy_({}.data.flip(0))", "{}.data.add_(0)", "{}.data.zero_()"]
BACKWARDS = ["y.sum().backward()", "(y * torch.rand(y.shape)).sum().backward(inputs=[x])"]
BEGIN = """import torch


def leaf():
    return (torch.rand(2, 3) + torch.tensor([[0.2], [1.3]])).mul_(SIGN).requires_grad_()


"""
CASES = [
    *product(UNARY, [["x", "y"]], [1]),
    *product(UNARY[:6], [["x"]], [-1]),
    *product(BINARY, [["x", "w"]], [1]),
    *product(NORMS, [["m", "v"]], [1]),
]


def program(expression: str, written: list[str], sign: int) -> tuple[str, str, list[int]]:
    """Combine each write with each kind of backward in one program.

    Return the program, the same program without the writes, and the lines of the writes.
    """
    text, right, lines = BEGIN.replace("SIGN", str(sign)), "", []
    for number, (name, write, backward) in enumerate(product(written, WRITES, BACKWARDS)):
        before = f"torch.manual_seed({number})\nx, w, m, v = leaf(), leaf(), torch.rand(3), torch.rand(3)\ny = {expression}\n"
        after = f"{backward}\ngradients_{number} = x.grad, w.grad\n"
        right = (right or text) + before + after
        text += before
        lines.append(text.count("\n") + 1)
        text += f"{write.format(name, name)}\n{after}"
    return text, right, lines


def gradients(source: str) -> list[tuple[torch.Tensor | None, ...]]:
    """Run a program, and return the gradients of `x` and `w` in each section."""
    variables: dict[str, Any] = {}
    exec(source, variables)
    return [value for name, value in variables.items() if name.startswith("gradients_")]


def is_equal(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    return one is other or (one is not None and other is not None and torch.equal(one.nan_to_num(7), other.nan_to_num(7)))


def is_close(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    return one is other or (one is not None and other is not None and torch.allclose(one, other, equal_nan=True))


@pytest.mark.sweep
@pytest.mark.parametrize(("expression", "written", "sign"), CASES)
def test_an_error_is_told_only_where_the_gradient_is_another(
    record: Record, expression: str, written: list[str], sign: int
) -> None:
    source, right, lines = program(expression, written, sign)
    pairs = [list(zip(*both, strict=True)) for both in zip(gradients(source), gradients(right), strict=True)]
    wrong = {line for line, both in zip(lines, pairs, strict=True) if not all(is_close(*pair) for pair in both)}
    same = {line for line, both in zip(lines, pairs, strict=True) if all(is_equal(*pair) for pair in both)}
    findings = [each for each in explain(record(source).trace).findings if each.kind == "silently_wrong_gradient"]
    assert wrong - {each.line for each in findings} == set(), "nothing is said of a wrong gradient"
    assert {each.line for each in findings if each.severity == "error"} & same == set(), "a right gradient is called wrong"
