"""torch.jit and torch.compile never trace or compile code of the recorder."""

from typing import Any

import torch

from app.tracer import adapter
from tests.tracer.adapter.seen import jit_graph


def test_jit_tracing() -> None:
    sizes = []

    def body(x: torch.Tensor) -> torch.Tensor:
        state = adapter.jit_tracing()
        assert state is not None
        adapter.set_jit_tracing(None)
        sizes.append(type(x.shape[0]))
        adapter.set_jit_tracing(state)
        return x * 2

    assert "size" not in str(jit_graph(body))
    assert sizes == [int]
    assert adapter.jit_tracing() is None


def test_not_compiled() -> None:
    compiled: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        compiled.append(graph)
        return graph.forward

    def theirs(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    @adapter.not_compiled
    def ours(x: torch.Tensor) -> torch.Tensor:
        return within(x) * 3

    def within(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    x = torch.ones(2)
    assert torch.equal(torch.compile(ours, backend=backend)(x), x.sin() * 3)
    assert not compiled
    assert torch.equal(torch.compile(theirs, backend=backend)(x), x.sin())
    assert compiled
