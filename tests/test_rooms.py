"""On a page of 1024 px no lesson is scrolled sideways: its pictures fit their panes, by tests/js/rooms.mjs."""

from pathlib import Path

import msgspec

from app.lessons import lessons
from tests.reported import reported

BAR = 8
"""Px that a pane keeps for the bar by which it scrolls down."""


class Room(msgspec.Struct, frozen=True):
    """The pictures of one lesson."""

    name: str
    looks: str
    scale: float
    """Of the graph."""
    text: int
    """Px that are left for code and story."""
    graph: tuple[float, float]
    """Px of the picture, and of its pane."""
    memory: tuple[float, float]


def test_the_pictures_of_every_lesson_fit_a_page_of_1024_px(tmp_path: Path) -> None:
    sources = {lesson.slug: lesson.snippet.source for lesson in lessons()}
    rooms = reported("rooms.mjs", sources, tmp_path, Room, "1024")
    assert len(rooms) == len(sources)
    cut = [room for room in rooms for picture, pane in (room.graph, room.memory) if picture + BAR > pane]
    assert cut == []
    assert [room for room in rooms if room.text < 290] == [], "code and story stay readable"
    # One GAN needs less: its letters are still 12 px high.
    assert [room.name for room in rooms if room.scale < 0.8] == ["step-between-two-backwards"]
