"""Everything that a lesson says is true: how its programs end in torch, its answers, and Stepgrad's findings."""

import json
from functools import cache

import pytest

from app.explain import Finding, explain
from app.lessons import LessonError, lessons, parse
from app.trace.chunks import Trace
from app.trace.ends import Raised
from tests.explain.recorded import Traces
from tests.recordings import answer
from tests.sampling import some

PROGRAMS = {lesson.slug: lesson.snippet for lesson in lessons()} | {
    f"{lesson.slug}, fixed": lesson.fixed for lesson in lessons() if lesson.fixed is not None
}


@cache
def recordings() -> Traces:
    """Return recordings of all programs."""
    return Traces({name: program.source for name, program in PROGRAMS.items()})


@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_torch_says_what_is_stated(name: str) -> None:
    program = PROGRAMS[name]
    seen = json.loads(answer(program.source, "bare", probes=[proof.expression for proof in program.proof]))
    raised = seen["raised"]
    assert program.ends == ("finished" if raised is None else f"{raised[0]} at line {raised[2][0]}")
    assert dict(zip([proof.expression for proof in program.proof], seen["probed"], strict=True)) == {
        proof.expression: proof.value for proof in program.proof
    }


@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_recorder_sees_what_is_stated(name: str) -> None:
    program, trace = PROGRAMS[name], recordings()[name]
    found = [told(trace, finding) for finding in explain(trace).findings if finding.severity != "hint"]
    assert found == program.findings
    ended = trace.ended
    assert program.ends == (f"{ended.type} at line {ended.traceback[0].line}" if isinstance(ended, Raised) else "finished")
    walked = {step.span.line for step in trace.steps if step.span is not None}
    assert {proof.line for proof in program.proof} <= walked, "a proof is at a line that ran"


def told(trace: Trace, finding: Finding) -> str:
    """Return a finding with its line."""
    span = None if finding.step is None else trace.steps[finding.step].span
    return f"{finding.kind} at line {finding.line if span is None else span.line}"


def test_no_lesson_teaches_a_mistake_that_is_not_found() -> None:
    """For a run with a correct result, a hint is enough."""
    broken = some(__file__, {lesson.slug: lesson for lesson in lessons() if lesson.fixed is not None})
    assert [slug for slug in broken if not explain(recordings()[slug]).findings] == []


def test_what_is_fixed_is_fixed() -> None:
    for lesson in lessons():
        if lesson.fixed is not None:
            assert lesson.fixed.ends == "finished" and lesson.fixed.findings == [], lesson.slug
            assert lesson.fixed.source != lesson.snippet.source


def test_programs_are_ready_to_be_read() -> None:
    for name, program in PROGRAMS.items():
        lines = program.source.splitlines()
        assert lines[0] in ("import torch", "import copy", "import numpy as np"), name
        assert max(map(len, lines)) <= 88 and len(lines) <= 30, name
        assert program.source == program.source.rstrip() + "\n", name


def test_the_course_is_in_order() -> None:
    places = [(lesson.group, lesson.order) for lesson in lessons()]
    assert len(set(places)) == len(places)
    sources = [program.source for program in PROGRAMS.values()]
    assert len(set(sources)) == len(sources)


def test_the_path_leads_from_a_first_gradient_to_a_silently_wrong_one() -> None:
    path = [lesson for lesson in lessons() if lesson.group == "path"]
    assert path == lessons()[:10]
    assert path[0].snippet.findings == [] and path[-1].snippet.findings[0].startswith("silently_wrong_gradient")


def test_claims_are_worth_asking_about() -> None:
    """Guessing that every claim is wrong must be a bad strategy, both in the course and on the learning path."""
    for part in (lessons(), lessons()[:10]):
        true = [lesson for lesson in part if lesson.verdict == "right"]
        assert 0.35 * len(part) <= len(true) <= 0.65 * len(part), len(true)


WHOLE = """
order = 1
group = "memory"
verdict = "right"
answer = 2
choices = ["1", { en = "two", zh-CN = "二" }]
title = { en = "t", zh-CN = "t" }
claim = { en = "t", zh-CN = "t" }
question = { en = "t", zh-CN = "t" }
why = { en = "t", zh-CN = "t" }
[snippet]
source = "x = 1"
proof = [{ line = 1, expression = "x", value = "1" }]
[now_try]
task = { en = "t", zh-CN = "t" }
checks = [{ expression = "x", value = "2" }]
change = [{ line = 1, to = "x = 2" }]
"""


def test_a_whole_file_is_a_lesson() -> None:
    lesson = parse("whole", WHOLE)
    assert (lesson.slug, lesson.title.zh_cn, lesson.snippet.ends, lesson.fixed) == ("whole", "t", "finished", None)


@pytest.mark.parametrize(
    ("said", "instead", "complaint"),
    [
        (WHOLE, "", "missing required field"),
        (WHOLE, "order = ", "Invalid"),
        ('group = "memory"', 'group = "others"', "Invalid enum value 'others'"),
        ("answer = 2", "answer = 3", "its answer is choice 3 of 2"),
        ("line = 1, expression", "line = 2, expression", "a proof is at line 2 of 1"),
        ("{ line = 1, to", "{ line = 2, to", "a change is at line 2 of 1"),
        ('[{ line = 1, to = "x = 2" }]', "[]", "of length >= 1"),
        ("order = 1", "order = 1\nlevel = 2", "unknown field `level`"),
        ('zh-CN = "二"', 'zh = "二"', "unknown field `zh`"),
        ('"x = 1"', '"x = 1"\nends = "badly"', "matching regex"),
    ],
)
def test_a_file_that_is_no_lesson_is_refused(said: str, instead: str, complaint: str) -> None:
    assert said in WHOLE
    with pytest.raises(LessonError, match=r"^wrong\.toml is not a valid lesson: ") as refused:
        parse("wrong", WHOLE.replace(said, instead))
    assert complaint in str(refused.value)
