"""Measure the player: main-thread time of a step, and the time until a new tab shows the first picture."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, expect

from app.lessons import lessons
from tests.benchmarks.forks import snippet
from tests.benchmarks.page import LESSON, shown
from tests.benchmarks.table import Row, Size, at_most
from tests.browser.page import Tutor, launched
from tests.web.server import Running, running

TITLE = "Player: Chromium without a GPU, 1440 x 900 (processor time of the page's thread for each step, median)"
FRAME_MS = 1000 / 60
FRESH_TAB_MS = 300
AS_SMOOTH = 1.25
"""The maximum ratio of the time of a step in a graph with groups to that in the same graph without groups."""

ROUNDS = """import torch
x = torch.ones(3, requires_grad=True)
y = x
for _ in range({rounds}):
    y = y.sin().cos().exp()
y.sum().backward()
"""
"""A loop with three Nodes in each iteration, which form a group."""
FLAT = """import torch
x = torch.ones(3, requires_grad=True)
y = x
{lines}
y.sum().backward()
"""
ROUND = "y = y.sin().cos().exp()"


@dataclass(frozen=True, kw_only=True)
class Counts:
    steps: int
    visits: int
    nodes: tuple[tuple[int, int], ...]
    """The number of Nodes, and the maximum number of frames per step."""
    models: tuple[str, ...]


COUNTS = {
    Size.SMALLEST: Counts(steps=2, visits=1, nodes=((30, 1),), models=("mlp",)),
    Size.FULL: Counts(steps=30, visits=5, nodes=((300, 1), (3000, 2)), models=("mlp", "gpt")),
}

PRESSES = """async ([count, key, code]) => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let number = 0; number < count; number += 1) {
        dispatchEvent(new KeyboardEvent('keydown', {key, code, bubbles: true, cancelable: true}));
        await frame();
        await frame();
    }
}"""
"""Presses a key repeatedly, and waits until each step is drawn."""
AFTER_DOCUMENT = """() => {
    const look = () => {
        const isDrawn = document.querySelector('.picture .graph') && document.querySelector('.picture .memory');
        if (!isDrawn) return void requestAnimationFrame(look);
        const came = performance.getEntriesByType('resource').filter(({name}) => /api.v1.(snippets|recordings)/.test(name));
        window.afterDocument = performance.now() - Math.max(...came.map(({responseEnd}) => responseEnd));
    };
    look();
}"""
"""Returns the time from the last byte of the document until both pictures are drawn."""


def measure(size: Size) -> list[Row]:
    counts = COUNTS[size]
    with running(visitor_burst="1e6") as server, launched() as browser:
        rows = [row for nodes, frames in counts.nodes for row in steps(server, browser, nodes, frames, counts)]
        rows += first_pictures(server, browser, counts)
    return rows


def steps(server: Running, browser: Browser, nodes: int, frames: int, counts: Counts) -> list[Row]:
    """Measure a step in a graph without groups, with folded groups and with unfolded groups."""
    rounds = nodes // 3

    def row(what: str, taken: float) -> Row:
        in_frames = taken / FRAME_MS
        return at_most(f"a step, {what}", f"{taken:.1f} ms = {in_frames:.2f} frames", in_frames, frames, "frames")

    flat, in_rounds = FLAT.format(lines="\n".join([ROUND] * rounds)), ROUNDS.format(rounds=rounds)
    with shown(server, browser, flat) as one, shown(server, browser, in_rounds) as other:
        unfold(one)
        plain, folded = stepped(one, counts), stepped(other, counts)
        ratio = folded / stepped(one, counts)
        unfold(other)
        opened = stepped(other, counts)
    return [
        row(f"{nodes} Nodes in no loop, all shown", plain),
        row(f"{rounds} rounds of 3 Nodes, folded", folded),
        row(f"{rounds} rounds of 3 Nodes, all open", opened),
        at_most(f"{rounds} rounds of 3 Nodes / a flat graph of as many", f"{ratio:.2f} x", ratio, AS_SMOOTH, "x"),
    ]


def unfold(page: Page) -> None:
    """Unfold all groups of the graph, if it has any."""
    page.keyboard.press("End")
    button = page.locator("#folds").get_by_role("button", name="Unfold every group", include_hidden=True)
    if button.count() == 0 or not button.is_enabled():
        return
    page.get_by_role("button", name="Groups of Nodes", exact=True).click()
    button.click()
    expect(button).to_be_disabled()
    page.locator("#folds").evaluate("(menu) => menu.hidePopover()")


def stepped(page: Page, counts: Counts) -> float:
    """Return the main thread's processor time per step in ms, including style, layout and paint."""
    page.keyboard.press("End")
    page.evaluate(PRESSES, [5, ",", "Comma"])  # fills the caches
    times = []
    with clock(page) as clocked:
        for _ in range(counts.steps):
            before = next(clocked)
            page.evaluate(PRESSES, [1, ",", "Comma"])
            times.append(next(clocked) - before)
    return statistics.median(times)


@contextmanager
def clock(page: Page) -> Iterator[Iterator[float]]:
    """Yield a function that returns the main thread's processor time in ms. Other programs do not affect the main thread's
    processor time.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def readings() -> Iterator[float]:
        while True:
            metrics = session.send("Performance.getMetrics")["metrics"]
            yield 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    yield readings()
    session.detach()


def first_pictures(server: Running, browser: Browser, counts: Counts) -> list[Row]:
    """Open links in new tabs with cached scripts. Measure the time from the document to both pictures."""
    lesson = next(each.snippet.source for each in lessons() if each.slug == LESSON)
    visitor = Tutor(browser, server.url)
    visitor.open()
    rows = [first_picture(server, visitor, "a lesson", lesson, counts, FRESH_TAB_MS)]
    rows += [first_picture(server, visitor, name, snippet(name), counts) for name in counts.models]
    visitor.context.close()
    return rows


def first_picture(server: Running, visitor: Tutor, what: str, source: str, counts: Counts, most: float | None = None) -> Row:
    """Return the median of several visits as a row. `most` is its budget."""
    with server.client() as client:
        address = client.post("/api/v1/snippets", json={"source": source}).raise_for_status().json()["url"]
    times = []
    for _ in range(counts.visits):
        page = visitor.another_tab().page
        page.add_init_script(f"({AFTER_DOCUMENT})()")
        page.goto(f"{server.url}{address}#step=8")  # at this step of the lesson, both pictures have content
        times.append(float(page.wait_for_function("() => window.afterDocument").json_value()))
        page.close()
    middle = statistics.median(times)
    title, told = f"first picture of a fresh tab after its document, {what}", f"{middle:.0f} ms (at most {max(times):.0f})"
    return Row(what=title, measured=told) if most is None else at_most(title, told, middle, most, "ms")
