"""The page's graph layouts are as good as Graphviz's, according to tests/js/compare-layouts.mjs."""

from pathlib import Path

import msgspec
import pytest

from app.lessons import lessons
from tests.corpus.heads import PROGRAMS
from tests.reported import reported

LEAST = 0.95
"""The minimum fraction of pictures that have no more crossings than Graphviz's, and at most 1.3 times its area and its total
edge length.

Pictures with frames count, although Graphviz draws no frames.
"""
FRAMED = ("advantages-of-a-trained-critic", "two-critics-and-a-temperature", "queue-of-keys-copied-before-use")
"""Programs whose iterations and modules are drawn as frames, with edges between the frames."""


class Compared(msgspec.Struct, frozen=True):
    """The comparison of a picture with Graphviz's picture of the same graph."""

    name: str
    passes: bool
    frames: int
    crossings: tuple[int, int]
    behind: tuple[int, int]
    """The numbers of edges that run behind a box: the page's and Graphviz's, as for `crossings`."""


def test_framed_programs_have_together_no_more_crossings_than_by_graphviz_and_no_edge_behind_a_box(tmp_path: Path) -> None:
    sources = {each.name: each.source for each in PROGRAMS if each.name in FRAMED}
    compared = reported("compare-layouts.mjs", sources, tmp_path, Compared)
    assert {each.name for each in compared if each.frames > 0} == {*FRAMED}
    assert [each.name for each in compared if each.behind[0] > 0] == []
    ours, theirs = (sum(each.crossings[which] for each in compared) for which in (0, 1))
    assert ours <= theirs


@pytest.mark.long
def test_our_layouts_are_as_good_as_those_of_graphviz(tmp_path: Path) -> None:
    sources = {f"lesson {lesson.slug}": lesson.snippet.source for lesson in lessons()}
    sources |= {f"program {program.name}": program.source for program in PROGRAMS}
    compared = reported("compare-layouts.mjs", sources, tmp_path, Compared)
    assert len(compared) > 100
    assert [each.name for each in compared if each.behind[0] > 0] == []
    plain = [each for each in compared if each.frames == 0]
    assert [each.name for each in plain if each.crossings[0] > each.crossings[1]] == []
    lost = [each.name for each in compared if not each.passes]
    assert len(lost) <= (1 - LEAST) * len(compared), lost
