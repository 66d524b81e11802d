"""No text in the pictures of lessons and models is wider than its box, according to tests/js/texts.mjs."""

from pathlib import Path

import msgspec
import pytest

from app.lessons import lessons
from tests.browser.golden import FOLDER
from tests.reported import reported
from tests.sampling import some
from tests.test_rooms import LARGE


class Written(msgspec.Struct, frozen=True):
    """The texts in the boxes of a program's pictures, drawn in one way."""

    name: str
    way: str
    count: int
    over: list[str]
    """Texts that extend beyond their box, with the left and right ends of text and box."""


@pytest.mark.patient
def test_no_text_is_wider_than_its_box(tmp_path: Path) -> None:
    sources = {lesson.slug: lesson.snippet.source for lesson in lessons()}
    sources |= {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.py") if path.stem not in LARGE}
    sources = some(__file__, sources, "static/js/")
    written = reported("texts.mjs", sources, tmp_path, Written, with_corrected=True)
    ways = {each.way for each in written}
    assert len(ways) == 5 and len(written) == len(sources) * len(ways)
    assert all(each.count > 0 for each in written)
    assert [each for each in written if each.over] == []
