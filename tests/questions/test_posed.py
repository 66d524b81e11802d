"""Compute the correct answers to questions that clients send. Invalid questions raise an error."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.questions.asked import Asked, Question
from app.questions.posed import posed
from app.trace.index import Index
from tests.questions.cases import LAST, case, stale_case
from tests.questions.programs import PROGRAMS

KINDS = get_args(Question.__annotations__["kind"])
NUMBERS = st.one_of(st.none(), st.integers(-2, 40), st.sampled_from([2**31, 2**53]))
TICKS = st.one_of(st.integers(-1, 60), st.just(LAST))
HOSTILE = st.builds(
    Question,
    kind=st.sampled_from(KINDS),
    after=TICKS,
    until=TICKS,
    **dict.fromkeys(("node", "edge", "tensor", "storage", "cell", "counter", "saved"), NUMBERS),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_asked_of_a_recording_can_be_posed(name: str) -> None:
    trace, between = case(name)
    index = Index(trace)
    every: list[dict[str, Any]] = [each for window in between for each in window["asked"]]
    assert every
    for asked in msgspec.convert(every, list[Asked]):
        found = posed(index, asked.question)
        assert found is not None and found.asked == asked
        if asked.legal.form == "name":
            assert all(answer.kind == "none" or answer.name in found.names for answer in asked.right)
        else:
            assert found.names == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_made_something_stale_is_told_as_the_page_does(name: str) -> None:
    index = Index(case(name)[0])
    for question, asked in stale_case(name):
        found = posed(index, question)
        assert (None if found is None else found.asked) == asked


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_is_sent_does_harm(name: str) -> None:
    index = Index(case(name)[0])

    @given(HOSTILE)
    def tries(question: Question) -> None:
        found = posed(index, question)
        assert found is None or found.asked.question == question

    tries()
