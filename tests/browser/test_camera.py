"""Automatic scrolling of the pictures during stepping: the elements of a step are visible, and pictures rarely scroll."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

MLP = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(5, 4)
y = torch.tensor([0, 1, 2, 1, 0])
for epoch in range(3):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    print(epoch, loss.item())
print("done")
"""

MOST_MOVES = 0.2
"""The maximum share of steps at which a picture scrolls."""
LEAST = {"cell": 30.5, "graph": 0.79}
"""The minimum height of a cell in CSS pixels, and the minimum scale of the graph, without zoom by the visitor."""

DRAWN = """async (number) => {
    const frame = () => new Promise(requestAnimationFrame);
    const last = () => Number(/\\d+$/.exec(document.querySelector('.position b').textContent)); // of "Steps 9–14", too
    while (last() !== number) await frame();
    await frame();
}"""
"""Waits until the page has drawn a step."""

# Returns the scroll positions of both pictures, and for groups of elements whether each is visible. `about`: the Nodes that
# run. `reached`: the targets of the gradients that these Nodes send. `passed`: both ends of the edges through which gradients
# flow in a whole statement. `written`: the rows of changed cells. `gradient`: the row of the tensor that receives a gradient.
# `named`: names that are new at this step. `moved`: descriptions of elements whose position in the picture has changed.
SIGHT = """() => {
    const [graph, memory] = ['graph', 'memory'].map((name) => document.querySelector(`.${name}-pane .picture`));
    const place = (host) => [host.scrollLeft, host.scrollTop].map(Math.round);
    const rectangle = (element) => (element.querySelector('.node-box') ?? element).getBoundingClientRect();
    const isIn = (host, box, isTallOnly) => {
        const {top, left} = host.getBoundingClientRect();
        return box.top > top - 2 && box.bottom < top + host.clientHeight + 2 &&
            (isTallOnly || (box.left > left - 2 && box.right < left + host.clientWidth + 2));
    };
    const nodes = [...graph.querySelectorAll('[data-node]')];
    const active = nodes.filter((node) => node.matches('.active'));
    const flows = [...graph.querySelectorAll('.edge.flow')].filter(({dataset}) =>
        active.some((node) => node.dataset.node === dataset.edge.split('.')[0]));
    const ends = flows.map((edge) => {
        const line = edge.querySelector('.edge-line');
        const end = line.getPointAtLength(line.getTotalLength()).matrixTransform(line.getScreenCTM());
        const reached = nodes.map(rectangle).find((box) =>
            end.x > box.left && end.x < box.right && end.y > box.bottom - 4 && end.y < box.bottom + 24);
        return reached ?? null;
    });
    const all = [...active.map(rectangle), ...ends.filter((end) => end !== null)];
    const span = (from, to) => Math.max(...all.map((box) => box[to])) - Math.min(...all.map((box) => box[from]));
    const boxes = [...nodes, ...document.querySelectorAll('.memory [data-row], .memory [data-tensor]')];
    window.places ??= new Map();
    const moved = boxes.map((element) => {
        const [[kind, id]] = Object.entries(element.dataset);
        const key = `${kind} ${id} ${element.closest('[data-row]')?.dataset.row ?? element.dataset.box ?? ''}`;
        const {x, y} = element.querySelector('rect, path')?.getBBox() ?? {x: 0, y: 0};
        const place = `${Math.round(x)} ${Math.round(y)}`;
        const was = window.places.get(key) ?? place;
        window.places.set(key, place);
        return was === place ? null : `${key}: ${was} to ${place}`;
    });
    const tags = [...memory.querySelectorAll('[data-name]')];
    const isNew = (name) => !(window.named ?? [name]).includes(name);
    const fresh = tags.filter((tag) => isNew(tag.dataset.name));
    const named = fresh.map((tag) => isIn(memory, tag.getBoundingClientRect(), true));
    window.named = tags.map((tag) => tag.dataset.name);
    const passed = active.length > 0 ? [] : [...graph.querySelectorAll('.edge.flow .edge-line')].map((line) =>
        [0, line.getTotalLength()].every((at) => {
            const {x, y} = line.getPointAtLength(at).matrixTransform(line.getScreenCTM());
            return isIn(graph, {left: x, right: x, top: y, bottom: y});
        }));
    const cells = [...memory.querySelectorAll('[data-cell] rect')].map((cell) => cell.getBoundingClientRect().height);
    const written = (node) => [...node.querySelectorAll('.bucket-grad')].map((line) => line.textContent).join('');
    const leaf = active.map((node) => written(node).split(':')[0]).find((name) => name);
    const grad = leaf && memory.querySelector(`[data-name="${leaf}"]`);
    return {
        graph: place(graph),
        memory: place(memory),
        about: active.map((node) => isIn(graph, rectangle(node))),
        reached: ends.map((end) => end !== null && isIn(graph, end)),
        fits: span('left', 'right') <= graph.clientWidth && span('top', 'bottom') <= graph.clientHeight,
        written: [...memory.querySelectorAll('[data-row]:has(.cell.written)')].map((row) =>
            isIn(memory, row.querySelector('.cell.written').getBoundingClientRect(), true)),
        gradient: grad ? isIn(memory, grad.getBoundingClientRect(), true) : null,
        passed,
        named,
        moved: moved.filter((each) => each !== null),
        cell: Math.min(...cells),
        scale: graph.querySelector('svg').getScreenCTM().a,
        overflow: [graph, memory].map((host) => host.scrollHeight > host.clientHeight),
    };
}"""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The results of SIGHT at each step of a run."""

    sights: list[dict[str, Any]]

    def moves(self, picture: str) -> int:
        """Return the number of steps at which a picture scrolled."""
        places = [sight[picture] for sight in self.sights]
        return sum(before != after for before, after in pairwise(places))

    def places(self) -> list[tuple[Any, Any]]:
        return [(sight["graph"], sight["memory"]) for sight in self.sights]


def some(seen: list[bool]) -> bool:
    """Whether at least one element is visible, or there are none."""
    return any(seen) or not seen


def sight_at(page: Page, number: int) -> dict[str, Any]:
    page.evaluate(DRAWN, number)
    return seen_now(page)


def seen_now(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(SIGHT)
    return found


def walked(page: Page) -> Walk:
    """Go from the first to the last step."""
    page.locator("body").press("Home")
    last = int(page.locator(".slider").get_attribute("max") or 0)
    sights = [sight_at(page, 1)]
    for number in range(2, last + 1):
        page.keyboard.press(".")
        sights.append(sight_at(page, number))
    return Walk(sights=sights)


def walked_back(page: Page, last: int) -> list[tuple[Any, Any]]:
    """Go from the last to the first step. Return the scroll positions in the order of the steps."""
    places = []
    for number in range(last, 0, -1):
        if number < last:
            page.keyboard.press(",")
        sight = sight_at(page, number)
        places.append((sight["graph"], sight["memory"]))
    return places[::-1]


def opened(visit: Visit, source: str = MLP, **options: Any) -> Tutor:
    tutor = visit(**options)
    tutor.open("/")
    tutor.write(source)
    tutor.run()
    return tutor


@pytest.mark.parametrize("granularity", ["Line", "Node"])
def test_a_step_is_in_sight_with_where_its_gradients_go_and_the_pictures_seldom_move(visit: Visit, granularity: str) -> None:
    page = opened(visit).page
    page.get_by_role("button", name=granularity, exact=True).click()
    walk = walked(page)
    assert len(walk.sights) == {"Line": 27, "Node": 60}[granularity]
    passed = 0
    for number, sight in enumerate(walk.sights, 1):
        assert all(sight["about"]), f"step {number}: the Node that runs is out of sight"
        reached = all if sight["fits"] else some
        assert reached(sight["reached"]), f"step {number}: where its gradient goes is out of sight"
        assert some(sight["written"]), f"step {number}: what it writes is out of sight"
        assert sight["gradient"] is not False, f"step {number}: the gradient that it accumulates into is out of sight"
        assert some(sight["passed"]), f"step {number}: no gradient is seen with where it went"
        assert some(sight["named"]), f"step {number}: what is new is out of sight"
        assert sight["moved"] == [], f"step {number}: only the panes scroll"
        assert sight["cell"] >= LEAST["cell"] and sight["scale"] >= LEAST["graph"]
        assert sight["overflow"] == [True, True], "neither picture fits its pane"
        passed += len(sight["reached"]) + any(sight["passed"])
    assert passed == {"Line": 3, "Node": 30}[granularity]
    for picture in ("graph", "memory"):
        assert walk.moves(picture) <= MOST_MOVES * len(walk.sights), picture
    back = walked_back(page, len(walk.sights))
    assert back == walk.places(), "a place depends on the step alone"


def test_what_a_visitor_scrolled_stays_until_the_step_is_out_of_sight(visit: Visit) -> None:
    page = opened(visit).page
    walk = walked(page)
    page.locator("body").press("Home")
    for number in range(1, 14):
        if number > 1:
            page.keyboard.press(".")
        sight_at(page, number)
    left, top = walk.sights[12]["graph"]
    page.evaluate("([left, top]) => document.querySelector('.graph-pane .picture').scrollTo(left, top)", [left, top - 30])
    page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    for number in range(14, len(walk.sights) + 1):
        page.keyboard.press(".")
        sight = sight_at(page, number)
        assert all(sight["about"])
    assert sight["graph"] == walk.sights[-1]["graph"], "the picture follows the run again"


LONGEST_MOTION_MS = 200
FRAME_MS = 20


def test_a_jump_is_one_motion_from_where_it_came_and_then_its_node_is_in_sight(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1920, "height": 1080}, reduced_motion="no-preference")
    page = tutor.page
    page.clock.install()
    tutor.open()
    tutor.write(MLP)
    tutor.run()
    page.get_by_role("button", name="Node", exact=True).click()
    tutor.to_start()
    tutor.stop_clock()
    tops = [0]
    for number in (48, 14, 60, 1, 52):  # the Nodes are far apart, and backward usually reaches a Node from below
        page.clock.run_for(1000)
        if number in (1, 60):
            page.keyboard.press("Home" if number == 1 else "End")
        else:
            page.locator(".slider").fill(str(number))
        tutor.at_step(number)
        before, motion = tops[-1], [top_of(page)]
        for _ in range(LONGEST_MOTION_MS // FRAME_MS):
            page.clock.run_for(FRAME_MS)
            motion.append(top_of(page))
        sight = seen_now(page)
        assert all(sight["about"]) and some(sight["reached"]), f"step {number} is out of sight after a jump from {before}"
        page.clock.run_for(1000)
        tops.append(top_of(page))
        assert tops[-1] == motion[-1], f"step {number}: its motion takes longer"
        on_the_way = [top for top in motion if top not in (before, tops[-1])]
        assert motion == sorted(motion, reverse=tops[-1] < before), f"step {number}: in one direction"
        assert before == tops[-1] or len(set(on_the_way)) > 2, f"step {number}: it is seen from where the picture came"
    assert len(set(tops)) > 3, "some of the jumps move the picture"

    other = opened(visit, viewport={"width": 1920, "height": 1080}).page  # with `prefers-reduced-motion`
    other.get_by_role("button", name="Node", exact=True).click()
    other.evaluate("() => document.querySelector('.graph-pane .picture').addEventListener('scroll', () => window.scrolls++)")
    for number, top in zip((48, 14, 60), tops[1:], strict=False):
        other.evaluate("() => window.scrolls = 0")
        other.locator(".slider").fill(str(number))
        other.evaluate(DRAWN, number)
        other.wait_for_function("() => window.scrolls > 0")
        assert (top_of(other), other.evaluate("() => window.scrolls")) == (top, 1), f"step {number}: at once"


def top_of(page: Page) -> int:
    top: float = page.locator(".graph-pane .picture").evaluate("(host) => host.scrollTop")
    return round(top)
