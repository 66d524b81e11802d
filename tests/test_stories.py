"""docs/stories.md is up to date."""

from tests.stories import LESSONS, OF_THE_CORPUS, PAGE, page


def test_the_stories_are_those_that_are_told_now() -> None:
    assert len({*LESSONS, *OF_THE_CORPUS}) == 20
    assert PAGE.read_text(encoding="utf-8") == page(), "`make stories` writes docs/stories.md anew"
