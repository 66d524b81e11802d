"""Every lecture plan: its lessons can be recorded, its steps exist, and the answers to its questions are not visible
beforehand.
"""

from functools import cache

import pytest

from app.lectures import LectureError, LecturePart, Plan, plan_of, plans
from app.lectures.plans import parse
from app.lessons import by_name
from app.questions.asked import NONE, Asked
from app.questions.truth import cells_at, version_of
from app.trace.chunks import Trace
from app.trace.index import Index
from tests.lectures.stops import stop_at, stops
from tests.questions.page import questions_between
from tests.recordings import chunks, folded

PLANS = [pytest.param(plan, id=plan.slug) for plan in plans()]
ASKING = [
    pytest.param(part, id=f"{plan.slug} {number}")
    for plan in plans()
    for number, part in enumerate(plan.parts, 1)
    if part.asks is not None
]


@cache
def run_of(name: str) -> Trace:
    lesson = by_name(name)
    assert lesson is not None
    program = lesson.fixed if name.endswith("/fixed") else lesson.snippet
    assert program is not None
    return folded(program.source, chunks(program.source))


def question_of(part: LecturePart) -> Asked:
    """Return the question of a part, as the page asks it (`static/js/lazy/lecture-page/asked.js`)."""
    assert part.asks is not None and part.lesson is not None
    trace = run_of(part.lesson)
    after, _ = stop_at(trace, part.at)
    until, _ = stop_at(trace, part.asks.until)
    [asked] = questions_between(trace, [(after, until)])
    found = [each for each in asked if each.question.kind == part.asks.kind]
    return found[part.asks.place - 1]


def test_there_are_three_of_a_quarter_of_an_hour() -> None:
    assert [plan.slug for plan in plans()] == ["graph-and-leaves", "views-versions-in-place", "silently-wrong-gradients"]
    assert all(plan.minutes == 15 and 8 <= len(plan.parts) <= 12 for plan in plans())
    assert plan_of("graph-and-leaves") is plans()[0]
    assert plan_of("nothing") is None


@pytest.mark.parametrize("plan", PLANS)
def test_every_part_is_a_step_of_its_lesson(plan: Plan) -> None:
    for part in plan.parts:
        assert part.lesson is not None
        assert stop_at(run_of(part.lesson), part.at)


@pytest.mark.parametrize("plan", PLANS)
def test_every_part_is_said_in_both_languages_in_short_sentences(plan: Plan) -> None:
    for part in plan.parts:
        assert part.note is not None
        english, chinese = part.note.en.strip(), part.note.zh_cn.strip()
        assert english and chinese
        assert english.count("`") % 2 == chinese.count("`") % 2 == 0
        assert len(english.split("\n\n")) == len(chinese.split("\n\n"))
        assert ("?" in english.split("\n\n")[-1]) == (part.asks is not None), "who is asked something hears it last"
        assert ("？" in chinese.split("\n\n")[-1]) == (part.asks is not None)
        for sentence in english.replace("?", ".").replace(":", ".").split("."):
            assert len(sentence.split()) <= 22, sentence


@pytest.mark.parametrize("plan", PLANS)
def test_it_can_be_said_in_its_time(plan: Plan) -> None:
    words = sum(len(part.note.en.split()) for part in plan.parts if part.note is not None)
    questions = sum(part.asks is not None for part in plan.parts)
    # Assumes 110 words a minute, and one minute for each question to answer, reveal and step
    assert 0.7 * plan.minutes <= words / 110 + questions <= plan.minutes
    assert questions >= 5


@pytest.mark.parametrize("part", ASKING)
def test_every_question_has_a_truth_that_is_not_plain_to_see(part: LecturePart) -> None:
    asked = question_of(part)
    trace = run_of(part.lesson or "")
    after = asked.question.after
    assert asked.right
    match asked.question.kind:
        case "raises":
            assert asked.right[0].whether is True
        case "value":
            cells = cells_at(Index(trace), asked.question.storage, after)  # type: ignore[arg-type]
            assert cells is None or cells.values[asked.question.cell or 0] != asked.right[0].number
        case "version":
            assert version_of(Index(trace), asked.question.counter, after) != asked.right[0].version  # type: ignore[arg-type]
        case "grad_fn":
            assert asked.right != [NONE]
        case "counter":
            assert len(asked.legal.counters or []) >= 3
        case "cell":
            assert sum(count for _, count in asked.legal.cells or []) > 2 * len(asked.right)
        case "node":
            assert len(asked.legal.nodes or []) >= 2
        case _:
            pass  # the answer may be any new gradient or any line


@pytest.mark.parametrize("plan", PLANS)
def test_no_note_tells_the_answer_to_its_own_question(plan: Plan) -> None:
    for part in plan.parts:
        if part.asks is None or part.note is None:
            continue
        right = question_of(part).right[0]
        if right.name is not None:
            assert right.name not in part.note.en
        if right.line is not None:
            assert f"line {right.line}" not in part.note.en


def test_the_last_stop_is_the_end() -> None:
    trace = run_of("a-first-gradient")
    assert len(stops(trace)) == 10
    assert len(stops(trace, "line")) == 7


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ('lesson = "no-such-lesson"\nat = "step=1"', "part 1 does not show a lesson"),
        ('snippet = "abc"\nat = "step=1"', "part 1 does not show a lesson"),
        ('lesson = "a-first-gradient"\nat = "line=1"', "matching regex"),
        ('lesson = "a-first-gradient"\nat = "step=1"\nnotes = 1', "unknown field"),
        ('lesson = "a-first-gradient"\nat = "step=1"\ntally = [[{kind = "none"}, 1]]', "no question"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(part: str, why: str) -> None:
    words = 'en = "a"\nzh-CN = "b"\n'
    text = f"order = 1\nminutes = 15\n[title]\n{words}[about]\n{words}[[parts]]\n{part}\n"
    with pytest.raises(LectureError, match=why):
        parse("bad", text)
