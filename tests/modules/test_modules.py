"""Training any module of torch.nn causes no finding. Silently writing to a saved tensor of the module causes one."""

import warnings
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.explain.finding import Finding
from app.trace.ends import Finished
from tests.modules.programs import OPTIMIZERS, ROWS, Row, classes, drawn, training
from tests.tracer.conftest import Record, record

__all__ = ["record"]
ONE = settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
PLANTS = ("given[0].data.mul_(3)", "next(module.parameters()).data.mul_(3)", "given[0].data[:1].zero_()")


def test_every_class_has_a_row() -> None:
    assert set(classes()) <= ROWS.keys()


def findings(record: Record, source: str) -> list[Finding]:
    trace = record(source).trace
    assert isinstance(trace.ended, Finished), (trace.ended, source)
    return explain(trace).findings


def attempt(record: Record, data: st.DataObject, name: str) -> None:
    """Train a module with random sizes, and assert that there is no finding."""
    optimizer = data.draw(st.sampled_from(OPTIMIZERS))
    source = training(drawn(name, data, optimizer), optimizer)
    assert [(each.kind, each.severity, each.line) for each in findings(record, source)] == [], source


@pytest.mark.parametrize("name", classes())
@ONE
@given(st.data())
def test_no_finding(record: Record, name: str, data: st.DataObject) -> None:
    attempt(record, data, name)


@pytest.mark.long
@pytest.mark.parametrize("name", classes())
@settings(ONE, max_examples=25)
@given(st.data())
def test_no_finding_of_many(record: Record, name: str, data: st.DataObject) -> None:
    attempt(record, data, name)


def gradients(row: Row, planted: str) -> list[torch.Tensor] | None:
    """Return the gradients of inputs and parameters after the first backward without a recorder; None if it raised."""
    variables: dict[str, Any] = {}
    source = training(row, OPTIMIZERS[0], planted).replace("range(2)", "range(1)").replace("    optimizer.step()\n", "")
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(source, variables)
    except RuntimeError:
        return None
    inputs = [each for each in variables["given"] if isinstance(each, torch.Tensor)]
    leaves = [*inputs, *variables["module"].parameters()]
    return [leaf.grad.to_dense() for leaf in leaves if leaf.is_leaf and leaf.grad is not None]


def plant(record: Record, data: st.DataObject, name: str) -> bool:
    """Write to saved tensors in a training program. Return whether the write changed any gradient in torch.

    Asserts that each write that changes a gradient causes a finding.
    """
    row = drawn(name, data, OPTIMIZERS[0])
    planted = data.draw(st.sampled_from(PLANTS))
    if ("given" in planted and "randn" not in row[1].split(",")[0]) or ("parameters" in planted and not _has_parameters(row)):
        return False
    right, wrong = gradients(row, ""), gradients(row, planted)
    if right is None or wrong is None:
        return False
    is_wrong = any(not torch.equal(one, other) for one, other in zip(right, wrong, strict=True))
    kinds = [each.kind for each in findings(record, training(row, OPTIMIZERS[0], planted)) if each.severity != "hint"]
    assert "silently_wrong_gradient" in kinds or not is_wrong, (row, planted)
    return is_wrong


def _has_parameters(row: Row) -> bool:
    return "optimizer" in training(row, OPTIMIZERS[0])


WRITTEN = (
    "LSTM",
    "GRUCell",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "BatchNorm2d",
    "LayerNorm",
    "LPPool2d",
    "MSELoss",
)


@pytest.mark.sweep
@pytest.mark.parametrize("name", WRITTEN)
@settings(ONE, max_examples=3)
@given(st.data())
def test_a_silent_write_is_found(record: Record, name: str, data: st.DataObject) -> None:
    plant(record, data, name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in classes() if name not in WRITTEN])
@settings(ONE, max_examples=2)
@given(st.data())
def test_a_silent_write_to_another_module_is_found(record: Record, name: str, data: st.DataObject) -> None:
    plant(record, data, name)


@pytest.mark.long
@pytest.mark.parametrize("name", classes())
@settings(ONE, max_examples=20)
@given(st.data())
def test_a_silent_write_to_any_module_is_found(record: Record, name: str, data: st.DataObject) -> None:
    plant(record, data, name)
