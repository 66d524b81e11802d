"""Every lesson, run in plain torch, ends as its front matter says."""

import json
from collections.abc import Iterator

import pytest

from app.lessons import Lesson, LessonError, lessons, parse
from tests.tracer.workers import Worker


@pytest.fixture(scope="module")
def bare() -> Iterator[Worker]:
    """Runs lessons that nobody watches."""
    with Worker("bare") as worker:
        yield worker


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_ends_as_stated(lesson: Lesson, bare: Worker) -> None:
    raised = json.loads(bare.answer(lesson.source))["raised"]
    assert lesson.ends == ("finished" if raised is None else f"{raised[0]} at line {raised[2][-1]}")


def test_the_visitor_sees_no_front_matter() -> None:
    for lesson in lessons():
        assert lesson.source.startswith("import torch\n")
        assert "title.en" not in lesson.source


def test_the_gallery_is_in_order_and_has_the_heart_of_it() -> None:
    assert [lesson.order for lesson in lessons()] == sorted({lesson.order for lesson in lessons()})
    titles = [lesson.title["en"] for lesson in lessons()]
    assert "`.data` hides the write" in titles
    assert "`.detach()` tells on the write" in titles


@pytest.mark.parametrize("text", ["", "import torch\n\nx = 1\n", "# order: 1\n\nimport torch\n", "# order: one\n\n"])
def test_a_file_that_is_no_lesson_is_refused(text: str) -> None:
    with pytest.raises(LessonError):
        parse("wrong", text)
