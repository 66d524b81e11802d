"""Any snippet: the trace says what torch says, and the recorded run prints and raises what the plain run does."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from app.trace.check import check
from tests.tracer.bare import said_by
from tests.tracer.differential import differences
from tests.tracer.programs import printed_state, programs
from tests.tracer.test_differential import folded
from tests.tracer.workers import Worker

Workers = dict[str, Worker]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Worker("plain") as plain, Worker("bare") as bare, Worker("recorded") as recorded:
        yield {"plain": plain, "bare": bare, "recorded": recorded}


def falsehoods(source: str, workers: Workers) -> list[str]:
    """What the trace says otherwise than torch, and what recording changed."""
    for worker in workers.values():
        worker.send(source)
    answers = [workers[how].receive() for how in ("plain", "bare", "recorded")]
    assert [status for status, _ in answers] == [0, 0, 0], f"{source}\nended with {[status for status, _ in answers]}"
    plain, bare, recorded = (content for _, content in answers)
    trace = folded(source, [line.encode() for line in recorded.splitlines()])
    check(trace)
    found = differences(json.loads(plain), trace)
    untouched, ours = json.loads(bare), said_by(trace)
    return found + [
        f"{what}: bare {untouched[what]!r}, recorded {ours[what]!r}" for what in ours if ours[what] != untouched[what]
    ]


def holds(source: str, workers: Workers) -> None:
    source = printed_state(source)
    found = falsehoods(source, workers)
    assert not found, "\n".join(["", source, *found])


@settings(max_examples=300, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate, Phase.shrink])
@given(programs())
def test_the_trace_says_what_torch_says(workers: Workers, source: str) -> None:
    holds(source, workers)


@pytest.mark.long
@settings(max_examples=2000, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate, Phase.shrink])
@given(programs(40))
def test_the_trace_says_what_torch_says_of_long_snippets(workers: Workers, source: str) -> None:
    holds(source, workers)
