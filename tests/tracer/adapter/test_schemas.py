"""The arguments that an operator writes, read from its schema and compared with what torch writes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from app.tracer import adapter
from tests.tracer.adapter.seen import seen_operators


def test_operator() -> None:
    add = adapter.operator(torch.ops.aten.add_.Tensor)
    assert (add.name, add.writes, add.tensors) == ("aten::add_", [(0, "self")], [0, 1])
    assert adapter.operator(torch.ops.aten.add_.Tensor) is add


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x, y: x.add_(y), ["x"]),
        (lambda x, y: torch.exp(x, out=y), ["y"]),
        (lambda x, y: torch._foreach_add_([x, y], 1), ["x", "y"]),
        (lambda x, y: x + y, []),
        (lambda x, y: x.copy_(y), ["x"]),
        (lambda x, y: torch.nn.functional.batch_norm(torch.ones(2, 2), x, y, training=True), ["x", "y"]),
        (lambda x, y: torch.nn.functional.batch_norm(torch.ones(2, 2), x, y, training=False), []),
    ],
    ids=range(7),
)
def test_written_arguments(run: Callable[..., Any], expected: list[str]) -> None:
    x, y = torch.ones(2), torch.ones(2)
    before = x.clone(), y.clone()
    with seen_operators() as seen:
        run(x, y)
    written = [t for func, args, kwargs in seen.calls for t in adapter.written_arguments(func, args, kwargs)]
    assert {name for name, tensor in (("x", x), ("y", y)) if any(tensor is other for other in written)} == set(expected)
    changed = {name for name, tensor, old in (("x", x, before[0]), ("y", y, before[1])) if not torch.equal(tensor, old)}
    assert changed <= set(expected)


def test_is_composite() -> None:
    assert adapter.is_composite(torch.ops.aten.linear.default)
    assert not adapter.is_composite(torch.ops.aten.addmm.default)
