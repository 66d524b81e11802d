"""Measure how fast the page responds to keys while it loads the largest possible documents, and afterwards."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

from app.trace.chunks import Trace
from tests.benchmarks.table import Row, Size, at_most
from tests.browser import large
from tests.browser.page import Tutor, launched

TITLE = "Largest documents: Chromium without a GPU, 1440 x 900 (Event Timing, Long Tasks)"
KEY_MS = 200
"""The maximum time from a key press until the page has drawn the response."""
PIECE_MS = {"small": 100, "large": 200}
"""The maximum duration of a task in the main thread while a document loads: for documents up to 5 MB, and for larger ones."""
SMALL_BYTES = 5_000_000

RUNS: dict[str, tuple[Callable[[int], Trace], dict[Size, int]]] = {
    "dense Nodes": (large.dense, {Size.SMALLEST: 20, Size.FULL: 25_000}),
    "forged Nodes": (large.forged, {Size.SMALLEST: 20, Size.FULL: 40_000}),
    "names": (large.named, {Size.SMALLEST: 20, Size.FULL: 100_000}),
    "windows on one storage": (large.windows, {Size.SMALLEST: 20, Size.FULL: 20_000}),
    "outputs": (large.printed, {Size.SMALLEST: 20, Size.FULL: 20_000}),
    "calls in calls": (large.deep, {Size.SMALLEST: 10, Size.FULL: 5_000}),
}
KEYS = ("End", "Home", ".", ".", ",", "End", "Home")

WATCH = """() => {
    window.keys = [];
    window.tasks = [];
    const watch = (type, into, options) => new PerformanceObserver((list) => into(list.getEntries())).observe({type, ...options});
    watch('event', (entries) => keys.push(...entries.filter(({name}) => name === 'keydown').map(({duration}) => duration)),
        {durationThreshold: 16, buffered: true});
    watch('longtask', (entries) => tasks.push(...entries.map(({duration}) => duration)), {buffered: true});
}"""
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


def measure(size: Size) -> list[Row]:
    traces = {f"{counts[size]:,} {what}": make(counts[size]) for what, (make, counts) in RUNS.items()}
    with large.showing(traces) as (server, addresses), launched() as browser:
        visitor = Tutor(browser, server.url)
        visitor.open()  # caches the scripts of the page
        return [row for what, address in addresses.items() for row in answers(visitor, what, address)]


def answers(visitor: Tutor, what: str, address: str) -> list[Row]:
    """Press keys while the document loads in a new tab, and after it is shown."""
    tutor = visitor.another_tab()
    page = tutor.page
    page.add_init_script(f"({WATCH})()")
    page.goto(visitor.url + address)
    page.evaluate("() => { keys.length = 0; tasks.length = 0; }")
    begun = time.monotonic()
    while page.locator(".timeline .slider").count() == 0 and time.monotonic() < begun + 120:
        page.keyboard.press(",")
        page.evaluate(FRAMES)
    loading, tasks = longest(page, "keys"), longest(page, "tasks")
    for key in KEYS:
        page.keyboard.press(key)
        page.evaluate(FRAMES)
    stepping = longest(page, "keys")
    size = page.evaluate(
        "() => performance.getEntriesByType('resource').reduce((sum, {decodedBodySize}) => sum + decodedBodySize, 0)"
    )
    most = PIECE_MS["small" if size <= SMALL_BYTES else "large"]
    page.close()
    return [
        at_most(f"{what}: a key while they come", f"{loading:.0f} ms", loading, KEY_MS, "ms"),
        at_most(f"{what}: a key afterwards", f"{stepping:.0f} ms", stepping, KEY_MS, "ms"),
        at_most(f"{what}: the longest task while they come", f"{tasks:.0f} ms", tasks, most, "ms"),
    ]


def longest(page: Page, which: str) -> float:
    """Return the longest duration since the previous call, in ms; 0 if there is none."""
    return float(page.evaluate("(which) => Math.max(0, ...window[which].splice(0))", which))
