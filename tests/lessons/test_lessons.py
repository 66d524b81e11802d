"""Every lesson, run in plain torch, ends as its front matter says."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.lessons import Lesson, LessonError, lessons, parse

PLAIN = """
import sys
source = open(sys.argv[1], encoding="utf-8").read()
try:
    exec(compile(source, "lesson", "exec"), {"__name__": "__main__"})
except Exception as error:
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "lesson":
            line = trace.tb_lineno
        trace = trace.tb_next
    print(f"{type(error).__name__} at line {line}", file=sys.stderr)
else:
    print("finished", file=sys.stderr)
"""


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_ends_as_stated(lesson: Lesson, tmp_path: Path) -> None:
    snippet = tmp_path / "lesson.py"
    snippet.write_text(lesson.source, encoding="utf-8")
    command = [sys.executable, "-W", "ignore", "-c", PLAIN, str(snippet)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.stderr.splitlines()[-1] == lesson.ends


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
