"""Measure the page in Chromium: changing the step, dragging the slider, and a first visit."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page, expect

from app.lessons import lessons
from tests.benchmarks.table import Row, Size, at_most
from tests.browser.page import Tutor, launched
from tests.web.server import Running, running

TITLE = "Page: Chromium without a GPU, 1440 x 900 (frames of 1/60 s, median)"
LESSON = "data-hides-the-write"
"""At its eighth step, both pictures have content."""
LONG_TASK_MS = 50


@dataclass(frozen=True, kw_only=True)
class Counts:
    visits: int
    steps: int
    nodes: tuple[tuple[int, int], ...]
    """The lengths of a chain of operators, each with the maximum number of frames per step."""
    turns: int
    moves: int


COUNTS = {
    Size.SMALLEST: Counts(visits=1, steps=2, nodes=((10, 1),), turns=10, moves=4),
    Size.FULL: Counts(visits=7, steps=40, nodes=((300, 1), (3000, 2)), turns=4990, moves=120),
}


CHAIN = """import torch
x = torch.ones(3, requires_grad=True)
y = x
for _ in range({rounds}):
    y = y.sin()
y.sum().backward()
"""
LOOP = """import torch
total = torch.zeros(2)
for turn in range({rounds}):
    part = torch.ones(2)
    total += part
    part = None
"""

WATCH = """() => {
    window.longTasks = [];
    const note = (list) => longTasks.push(...list.getEntries().map((entry) => entry.duration));
    new PerformanceObserver(note).observe({type: 'longtask'});
}"""
STEP = """async ([count, key, code]) => {
    const frame = () => new Promise(requestAnimationFrame);
    const taken = [];
    for (let number = 0; number < count; number += 1) {
        for (let rest = 0; rest < 20; rest += 1) await frame();
        const from = await frame();
        window.dispatchEvent(new KeyboardEvent('keydown', {key, code, bubbles: true, cancelable: true}));
        await frame();
        taken.push((await frame()) - from);
    }
    return taken;
}"""
FIRST_PICTURE = """() => {
    const look = () => {
        const isDrawn = document.querySelector('.graph [data-node]') && document.querySelector('.memory [data-row]');
        if (isDrawn) window.firstPicture = performance.now();
        else requestAnimationFrame(look);
    };
    look();
}"""


def measure(size: Size) -> list[Row]:
    counts = COUNTS[size]
    with running(visitor_burst="1e6") as server, launched() as browser:
        rows = first_picture(server, browser, counts)
        for nodes, budget in counts.nodes:
            rows += steps(server, browser, nodes, budget, counts)
        rows += long_run(server, browser, counts)
    return rows


def first_picture(server: Running, browser: Browser, counts: Counts) -> list[Row]:
    """Return the time from opening a link as a new visitor until both pictures are drawn."""
    source = next(lesson.snippet.source for lesson in lessons() if lesson.slug == LESSON)
    with server.client() as client:
        address = client.post("/api/v1/snippets", json={"source": source}).json()["url"]
    times = []
    for _ in range(counts.visits):
        tutor = Tutor(browser, server.url)
        tutor.page.add_init_script(f"({FIRST_PICTURE})()")
        tutor.page.goto(f"{server.url}{address}#step=8")
        times.append(float(tutor.page.wait_for_function("() => window.firstPicture").json_value()))
        tutor.context.close()
    middle = statistics.median(times)
    return [
        at_most("a shared link, until its first picture", f"{middle:.0f} ms (at most {max(times):.0f})", middle, 1000, "ms")
    ]


def steps(server: Running, browser: Browser, nodes: int, budget: int, counts: Counts) -> list[Row]:
    """Return the number of frames from a key press until the change is drawn, for a chain of `nodes` Nodes without folded
    groups.

    The graph is drawn at the default scale, and again at the scale at which all of it is visible.
    """
    rows = []
    with shown(server, browser, CHAIN.format(rounds=nodes)) as page:
        page.keyboard.press("End")
        unfold = page.locator("#folds").get_by_role("button", name="Unfold every group", include_hidden=True)
        if unfold.count() > 0 and unfold.is_enabled():
            page.get_by_role("button", name="Groups of Nodes", exact=True).click()
            unfold.click()
            expect(unfold).to_be_disabled(timeout=60_000)
            page.locator("#folds").evaluate("(menu) => menu.hidePopover()")
        for what in ("", ", all in sight"):
            frames = sorted(frames_of(page, ",", "Comma", counts))
            middle, late = statistics.median(frames), frames[int(0.95 * len(frames))]
            rows.append(
                at_most(f"a step, {nodes} Nodes{what}", f"{middle:.0f} (95 of 100: {late:.0f})", middle, budget, "frames")
            )
            page.get_by_role("button", name="Fit").click()
    return rows


def frames_of(page: Page, key: str, code: str, counts: Counts) -> list[float]:
    """Return the number of frames of each step. 1 means that the next frame shows the step."""
    return [round(taken * 60 / 1000) - 1 for taken in page.evaluate(STEP, [counts.steps, key, code])]


def long_run(server: Running, browser: Browser, counts: Counts) -> list[Row]:
    """Measure the longest run that the limits permit, and dragging the slider from its start to its end."""
    with shown(server, browser, LOOP.format(rounds=counts.turns)) as page:
        count = int(page.locator(".slider").get_attribute("max") or 0)
        page.evaluate(WATCH)
        box = page.locator(".slider").bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 2, middle)
        page.mouse.down()
        for move in range(counts.moves):
            page.mouse.move(box["x"] + box["width"] * (move + 1) / (counts.moves + 2), middle)
        page.mouse.up()
        page.evaluate("() => new Promise((done) => setTimeout(done, 500))")
        tasks: list[float] = page.evaluate("() => longTasks")
        frames = sorted(frames_of(page, ",", "Comma", counts))
    longest = max(tasks, default=0)
    told = f"{longest:.0f} ms, {len(tasks)} over {LONG_TASK_MS} ms" if tasks else f"none over {LONG_TASK_MS} ms"
    return [
        at_most(f"the slider over {count} steps, longest task", told, longest, LONG_TASK_MS, "ms"),
        at_most(f"a step, in a run of {count}", f"{statistics.median(frames):.0f}", statistics.median(frames), 1, "frames"),
    ]


@contextmanager
def shown(server: Running, browser: Browser, source: str, **options: Any) -> Iterator[Page]:
    """Run a snippet, and yield the page that shows the run."""
    tutor = Tutor(browser, server.url, **options)
    tutor.open()
    expect(tutor.page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
    tutor.write(source)
    tutor.page.locator(".code-pane").get_by_role("button", name="Run").click()
    tutor.page.locator(".timeline .slider").wait_for(timeout=120_000)
    yield tutor.page
    tutor.context.close()
