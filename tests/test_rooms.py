"""The pictures of lessons and models fit into their panes, according to tests/js/rooms.mjs and presented-rooms.mjs."""

from pathlib import Path

import msgspec
import pytest

from app.lessons import lessons
from tests.browser.golden import FOLDER
from tests.browser.test_presenter_sizes import SCROLLED
from tests.reported import reported
from tests.sampling import some

NARROW = 1024
WIDE = (1280, 1440, 1920)
BAR = 8
"""The width in CSS pixels that a pane reserves for its vertical scrollbar."""
LEAST_SHARE = 0.24
"""The minimum fraction of the width for the graph when two runs are compared."""

SMALLER = ("step-between-two-backwards",)
"""Lessons with a graph that has a scale below 0.8 on a narrow page."""

PAGE = "static/js/"

LARGE = ("resnet-50", "gpt-12")
"""Programs that take long to record and lay out. Smaller ones have the same kinds of rows."""

ADAM = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(5, 4)
y = torch.tensor([0, 1, 2, 1, 0])
for epoch in range(2):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
"""


def of_lessons() -> dict[str, str]:
    """Return the snippets of the selected lessons by name; of all lessons if the page changed."""
    return some(__file__, {lesson.slug: lesson.snippet.source for lesson in lessons()}, PAGE)


def everything() -> dict[str, str]:
    """Return programs by name: lessons, their corrected versions, those of the golden files, and a model with Adam."""
    sources = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.py") if path.stem not in LARGE}
    sources |= {f"{lesson.slug} fixed": lesson.fixed.source for lesson in lessons() if lesson.fixed is not None}
    return of_lessons() | some(__file__, sources, PAGE) | {"mlp-with-adam": ADAM}


class Room(msgspec.Struct, frozen=True):
    """The sizes of a program's pictures on a page of one width."""

    name: str
    width: int
    looks: str
    scale: float
    text: int
    """The width that is left for code and explanations, in CSS pixels."""
    graph: tuple[float, float]
    """The width of the picture and that of its pane, in CSS pixels."""
    memory: tuple[float, float]


@pytest.mark.patient
def test_the_pictures_of_every_lesson_fit_a_page_of_1024_px(tmp_path: Path) -> None:
    sources = of_lessons()
    rooms = reported("rooms.mjs", sources, tmp_path, Room, str(NARROW))
    assert len(rooms) == len(sources)
    cut = {room.name for room in rooms for picture, pane in (room.graph, room.memory) if picture + BAR > pane}
    assert cut == set()
    assert [room for room in rooms if room.text < 290] == [], "code and story stay readable"
    # One GAN needs a smaller scale; its text is still 12 px high.
    assert [room.name for room in rooms if room.scale < 0.8] == [name for name in SMALLER if name in sources]


class Side(msgspec.Struct, frozen=True):
    """The sizes in CSS pixels of a program's pictures, in one half of a comparison."""

    name: str
    width: int
    memory: float
    graph: float
    pane: float
    share: float


@pytest.mark.patient
def test_memory_is_never_cut_in_a_comparison(tmp_path: Path) -> None:
    sources = everything()
    sides = reported("side-rooms.mjs", sources, tmp_path, Side, *map(str, WIDE))
    assert len(sides) == 2 * len(sources) * len(WIDE)
    assert [side for side in sides if side.memory + BAR > side.pane] == []
    assert min(side.share for side in sides) >= LEAST_SHARE


@pytest.mark.patient
def test_memory_is_never_cut_on_a_wide_page(tmp_path: Path) -> None:
    sources = everything()
    rooms = reported("rooms.mjs", sources, tmp_path, Room, *map(str, WIDE))
    assert len(rooms) == len(sources) * len(WIDE)
    assert [room for room in rooms if room.memory[0] + BAR > room.memory[1]] == []
    assert {room.looks for room in rooms} == {"alone", "beside"} or len(sources) < len(lessons())


MODEL = """\
import torch
from torch import nn

enc = nn.Linear(4, 3)
dec = nn.Linear(3, 1)
inputs = torch.randn(8, 4)
targets = torch.randn(8, 1)
opt = torch.optim.SGD(list(enc.parameters()) + list(dec.parameters()), lr=0.1)
loss = (dec(enc(inputs).detach()) - targets).pow(2).mean()
loss.backward()
opt.step()
"""
"""A model with a line of code that is longer than the code pane is wide."""


def test_long_lines_of_code_keep_their_room_beside_a_model(tmp_path: Path) -> None:
    rooms = reported("rooms.mjs", {"model": MODEL}, tmp_path, Room, "1440")
    assert [(room.looks, room.text) for room in rooms if room.text < 54 * 7.8 + 90] == []
    assert [room for room in rooms for picture, pane in (room.graph, room.memory) if picture + BAR > pane] == []


class Presented(msgspec.Struct, frozen=True):
    """The sizes of a program's pictures and panes in presenter mode, as (width, height) in CSS pixels."""

    name: str
    graph: tuple[float, float]
    graph_room: tuple[float, float]
    memory: tuple[float, float]
    memory_room: tuple[float, float]


@pytest.mark.patient
def test_presenter_mode_shows_the_whole_pictures_of_every_lesson_but_five(tmp_path: Path) -> None:
    sources = of_lessons()
    rooms = reported("presented-rooms.mjs", sources, tmp_path, Presented)
    assert len(rooms) > 50 or len(sources) < len(lessons())
    cut = {}
    for room in rooms:
        pictures = {"graph": (room.graph, room.graph_room), "memory": (room.memory, room.memory_room)}
        over = [name for name, (size, pane) in pictures.items() if size[0] > pane[0] or size[1] > pane[1]]
        if over:
            cut[room.name] = " ".join(over)
    assert cut == {name: pictures for name, pictures in SCROLLED.items() if name in sources}
