"""On a page of 1024 px no lesson is scrolled sideways: its pictures fit their panes, by tests/js/rooms.mjs."""

import subprocess
from pathlib import Path

import msgspec

from app.explain import explain
from app.lessons import lessons
from tests.explain.recorded import record

ROOMS = Path(__file__).parent / "js/rooms.mjs"
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
    for name, trace in zip(sources, record([*sources.values()]), strict=True):
        (tmp_path / f"{name}.json").write_bytes(msgspec.json.encode(explain(trace)))
    run = subprocess.run(["node", str(ROOMS), str(tmp_path), "1024"], capture_output=True, text=True, check=True, timeout=300)
    rooms = [msgspec.json.decode(line, type=Room) for line in run.stdout.splitlines()]
    assert len(rooms) == len(sources)
    cut = [room for room in rooms for picture, pane in (room.graph, room.memory) if picture + BAR > pane]
    assert cut == []
    assert [room for room in rooms if room.text < 290] == [], "code and story stay readable"
    # One GAN needs less: its letters are still 12 px high.
    assert [room.name for room in rooms if room.scale < 0.8] == ["step-between-two-backwards"]
