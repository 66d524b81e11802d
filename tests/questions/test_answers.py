"""Validate the answers of students. JavaScript tests use the same cases."""

import json
from typing import Any

import msgspec
import pytest

from app.questions.answers import is_legal
from app.questions.asked import Answer, Asked, Legal
from tests.questions.cases import FOLDER, case
from tests.questions.programs import PROGRAMS

TABLE = json.loads((FOLDER / "answers.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_right_answer_to_the_pages_questions_is_legal(name: str) -> None:
    trace, between = case(name)
    assert trace.source == PROGRAMS[name]
    for each in msgspec.convert([asked for window in between for asked in window["asked"]], list[Asked]):
        assert each.right, each.question
        assert all(is_legal(each.legal, right) for right in each.right), each


@pytest.mark.parametrize("row", TABLE["cases"], ids=lambda row: f"{row['legal']['form']}-{row['right'][0]}")
def test_what_the_page_reads_from_a_typed_text_is_legal(row: dict[str, Any]) -> None:
    legal = msgspec.convert(row["legal"], Legal)
    meant = [answer for _, answer, _ in row["answers"] if answer is not None]
    assert meant
    assert all(is_legal(legal, answer) for answer in msgspec.convert(meant, list[Answer]))


@pytest.mark.parametrize(("legal", "answer"), TABLE["forged"], ids=str)
def test_what_no_form_gives_is_not_legal(legal: dict[str, Any], answer: dict[str, Any]) -> None:
    assert not is_legal(msgspec.convert(legal, Legal), msgspec.convert(answer, Answer))
