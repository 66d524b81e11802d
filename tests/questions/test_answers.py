"""Questions about recordings, their legal answers, and the right ones: the same cases as in the browser's tests."""

import json
from typing import Any

import msgspec
import pytest

from app.questions.answers import is_legal, is_right, parsed
from app.questions.asked import Answer, Asked, Legal, Question
from tests.questions.cases import FOLDER, case, told
from tests.questions.programs import PROGRAMS

TABLE = json.loads((FOLDER / "answers.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_step_of_a_recording_is_asked_about(name: str) -> None:
    trace, between = case(name)
    assert trace.source == PROGRAMS[name]
    assert told(trace) == between
    for each in msgspec.convert([asked for window in between for asked in window["asked"]], list[Asked]):
        assert each.right, each.question
        assert all(is_legal(each.legal, right) and is_right(each, right) for right in each.right), each


@pytest.mark.parametrize("row", TABLE["cases"], ids=lambda row: f"{row['legal']['form']}-{row['right'][0]}")
def test_a_typed_answer_is_read_and_judged(row: dict[str, Any]) -> None:
    legal, right = msgspec.convert(row["legal"], Legal), msgspec.convert(row["right"], list[Answer])
    asked = Asked(question=Question(kind="value", after=0, until=1), legal=legal, right=right)
    for text, meant, is_so in row["answers"]:
        answer = parsed(legal, text)
        assert answer == (None if meant is None else msgspec.convert(meant, Answer)), text
        assert (answer is not None and is_right(asked, answer)) is is_so, text


@pytest.mark.parametrize(("legal", "answer"), TABLE["forged"], ids=str)
def test_what_no_form_gives_is_not_legal(legal: dict[str, Any], answer: dict[str, Any]) -> None:
    assert not is_legal(msgspec.convert(legal, Legal), msgspec.convert(answer, Answer))
