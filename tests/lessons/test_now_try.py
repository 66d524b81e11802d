"""Exercises of lessons: a solution works in torch, and the player accepts it. The player rejects the unchanged program."""

import json
import subprocess

import msgspec
import pytest

from app.lessons import changed, lessons
from app.trace.codec import encode_trace
from tests.explain.recorded import record
from tests.recordings import answer
from tests.tracer.workers import ROOT

CONDITIONS = ROOT / "tests/js/conditions.mjs"
ASKING = {lesson.slug: (lesson, lesson.now_try) for lesson in lessons()}


@pytest.mark.sweep
@pytest.mark.parametrize("slug", ASKING)
def test_one_way_to_do_it_works_in_plain_torch(slug: str) -> None:
    lesson, attempt = ASKING[slug]
    seen = json.loads(answer(changed(lesson), "bare", probes=[check.expression for check in attempt.checks]))
    assert attempt.ends == ("finished" if seen["raised"] is None else seen["raised"][0])
    assert seen["probed"] == [check.value for check in attempt.checks]


@pytest.mark.sweep
@pytest.mark.parametrize("slug", ASKING)
def test_the_player_sees_it_in_the_run_and_not_before(slug: str) -> None:
    before, after = conditions(slug)
    assert all(after), "the player does not see it"
    assert not all(before), "it holds without a change"


@pytest.mark.sweep
@pytest.mark.parametrize("slug", ASKING)
def test_the_task_names_lines_that_change(slug: str) -> None:
    lesson, attempt = ASKING[slug]
    lines = [change.line for change in attempt.change]
    assert lines == sorted(set(lines))
    assert changed(lesson) not in [program.source for program in (lesson.snippet, lesson.fixed) if program is not None]


def conditions(slug: str) -> list[list[bool]]:
    """Return which conditions the lesson's program meets, and which the solution meets."""
    lesson, attempt = ASKING[slug]
    traces = record([lesson.snippet.source, changed(lesson)])
    lines = b"\n".join(b"[%s,%s]" % (encode_trace(trace), msgspec.json.encode(attempt)) for trace in traces)
    said = subprocess.run(["node", str(CONDITIONS)], input=lines, capture_output=True, check=True, timeout=120).stdout
    return [json.loads(line) for line in said.splitlines()]
