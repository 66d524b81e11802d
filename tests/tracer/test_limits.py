"""When a run reaches a limit, the trace is the beginning of the trace without the limit, and its end names the limit."""

from typing import Any

import msgspec
import pytest

from app.trace.check import check
from app.trace.chunks import TABLES, Trace
from app.trace.ends import Ended, Finished, OutputTooLarge, Stopped, TraceTooLarge
from app.trace.records import Cells, Summary
from tests.recordings import folded
from tests.tracer.workers import Worker

SOURCE = """
import torch
weight = torch.full((2, 3), 0.5, requires_grad=True)
bias = torch.ones(2, requires_grad=True)
optimizer = torch.optim.AdamW([weight, bias])
def forward(x):
    with torch.no_grad():
        x = x * 2
    return torch.nn.functional.linear(x, weight, bias).relu()
history = []
for epoch in range(4):
    optimizer.zero_grad()
    loss = forward(torch.ones(4, 3)).sum()
    print("loss", epoch, round(loss.item(), 4))
    loss.backward()
    optimizer.step()
    history.append(loss.detach())
    view = weight.data[0]
    view.add_(1)
"""

LIMITS: dict[str, tuple[dict[str, Any], Ended]] = {
    "statements": ({"statements": 25}, Stopped(limit="statements", reached=25)),
    "statements, at once": ({"statements": 1}, Stopped(limit="statements", reached=1)),
    "steps": ({"steps": 90}, Stopped(limit="steps", reached=90)),
    "steps, within a backward": ({"steps": 70}, Stopped(limit="steps", reached=70)),
    "trace": ({"trace_bytes": 30_000}, TraceTooLarge(limit_bytes=30_000)),
    "output": ({"output_bytes": 25}, OutputTooLarge(limit_bytes=25)),
    "the first of several": ({"statements": 25, "output_bytes": 8}, OutputTooLarge(limit_bytes=8)),
}
"""What is limited, the limit, and the expected end of the trace."""


@pytest.fixture(scope="module")
def unlimited(recorded: Worker) -> Trace:
    trace = trace_of(recorded, SOURCE)
    assert trace.ended == Finished()
    return trace


def trace_of(recorded: Worker, source: str, **limits: Any) -> Trace:
    trace = folded(source, recorded.answer(source, **limits).encode().splitlines())
    check(trace)
    assert trace.header.limits == type(trace.header.limits)(**limits)
    return trace


@pytest.mark.parametrize("limited", LIMITS)
def test_the_trace_is_the_beginning_of_the_unlimited_one(limited: str, recorded: Worker, unlimited: Trace) -> None:
    limits, ended = LIMITS[limited]
    trace = trace_of(recorded, SOURCE, **limits)
    assert trace.ended == ended
    if isinstance(ended, OutputTooLarge):
        assert sum(len(output.text) for output in trace.outputs) == ended.limit_bytes
    assert 0 < len(trace.steps) < len(unlimited.steps)
    last = max(tick for table in TABLES for record in getattr(trace, table) for tick in ticks(msgspec.to_builtins(record)))
    for table in TABLES:
        ours, all_of_it = getattr(trace, table), getattr(unlimited, table)
        for record, counterpart in zip(ours, all_of_it, strict=False):
            said, all_said = plain(record, last), plain(counterpart, last)
            if table == "outputs" and isinstance(ended, OutputTooLarge):
                all_said["text"] = all_said["text"][: len(said["text"])]
            assert said == all_said, table
        for left_out in all_of_it[len(ours) :]:  # a record that is missing must begin after the limit
            assert min(ticks(msgspec.to_builtins(left_out)), default=last) >= last, (table, left_out)


MOMENTS = ("began", "ended", "born", "died", "freed", "released", "tick")


def ticks(record: dict[str, Any]) -> list[int]:
    moments = [record[field] for field in MOMENTS if record.get(field) is not None]
    return moments + [fact[0] for facts in record.values() if is_facts(facts) for fact in facts]


def is_facts(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and all(isinstance(fact, list | tuple) and len(fact) == 2 for fact in value)


def plain(record: Any, last: int) -> dict[str, Any]:
    """Return the facts of a record from before tick `last`. Addresses are left out, because they differ between processes."""
    known = {}
    for field, value in msgspec.to_builtins(record).items():
        if field in ("ended", "died", "freed", "released"):
            known[field] = value if value is not None and value < last else None
        elif field != "address":
            known[field] = [fact for fact in value if fact[0] < last] if is_facts(value) else value
    return {field: value for field, value in known.items() if value not in (None, [])}


def test_cells(recorded: Worker, unlimited: Trace) -> None:
    """Storages with more elements than the limit have a Summary instead of Cells."""
    trace = trace_of(recorded, SOURCE, cells=5)
    assert trace.ended == Finished() and len(trace.steps) == len(unlimited.steps)
    for ours, theirs in zip(trace.storages, unlimited.storages, strict=True):
        elements = {len(contents.values) for _, contents in theirs.contents if isinstance(contents, Cells)}
        if max(elements, default=0) <= 5:
            assert [contents for _, contents in ours.contents] == [contents for _, contents in theirs.contents]
        else:
            assert all(isinstance(contents, Summary) for _, contents in ours.contents)
    for gradient, counterpart in zip(trace.gradients, unlimited.gradients, strict=True):
        assert isinstance(counterpart.value, Cells)
        assert isinstance(gradient.value, Summary if len(counterpart.value.values) > 5 else Cells)


def test_a_very_long_loop_on_one_line_is_one_step_in_the_end(recorded: Worker) -> None:
    source = "import torch\nfor i in range(9000): x = i; y = x\nlast = y\n"
    trace = trace_of(recorded, source, statements=400)
    assert trace.ended == Finished()
    spans = [(step.span.column, step.span.end_column) for step in trace.steps if step.span is not None and step.span.line == 2]
    assert spans[:4] == [(0, 20), (22, 27), (29, 34), (0, 20)]
    assert spans[-1] == (0, 34) and spans.count((0, 34)) == 1 and 100 <= len(spans) <= 103
    assert trace.steps[-1].span is not None and trace.steps[-1].span.line == 3


def test_one_statement_of_very_many_operators(recorded: Worker) -> None:
    source = "import torch\nx = torch.zeros(1)\ny = [x.add_(1) for _ in range(100_000)]\n"
    trace = trace_of(recorded, source, steps=20_000)
    assert trace.ended == Stopped(limit="steps", reached=20_000)
    assert len(trace.steps) == 20_000
    assert [version for _, version in trace.version_counters[0].version][-3:] == [19_994, 19_995, 19_996]
