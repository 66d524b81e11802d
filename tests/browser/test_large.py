"""Recordings at the limits of the trace format: the page draws some items and counts the others, so that it remains fast."""

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect

from tests.browser import large
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_graph import ROUNDS

MOST_ELEMENTS = 8000
"""The maximum number of DOM elements. The page draws pictures of up to 200 boxes completely."""
DRAWN = "() => new Set([...document.querySelectorAll('.graph [data-node]')].map((box) => box.dataset.node)).size"


def elements(page: Page) -> int:
    return int(page.evaluate("() => document.querySelectorAll('*').length"))


def walk(tutor: Tutor, last: int) -> None:
    """Go to the last, first and second step and to the end again. At each step, check the number of DOM elements."""
    for key, number in (("End", last), ("Home", 1), (".", 2), ("End", last)):
        tutor.page.keyboard.press(key)
        expect(tutor.page.locator(".position b")).to_have_text(f"Step {number}")
        assert elements(tutor.page) < MOST_ELEMENTS


def test_a_graph_too_large_to_draw_is_an_overview_that_opens_in_parts(browser: Browser) -> None:
    traces = {"dense": large.dense(8000), "windows": large.windows(500), "appended": large.appended(1500)}
    with large.showing(traces) as (server, at):
        tutor = Tutor(browser, server.url)
        page = tutor.page
        tutor.open(at["dense"])
        tutor.wait()
        expect(page.locator(".overview-note")).to_contain_text("too large to draw whole")
        walk(tutor, 3)
        stacks = page.locator(".graph .node.group")
        assert page.evaluate(DRAWN) < 60
        tutor.turn_groups("Unfold every group")
        expect(page.locator(".toast")).to_contain_text("make the graph too large to draw")
        for numbers, count in (("1–1000", "1,000"), ("1–100", "100")):
            expect(stacks.first).to_contain_text(f"line 2 · {numbers}{count} Nodes")
            stacks.first.click()
        expect(page.locator('.graph [data-node="5"]')).to_have_count(1)
        assert elements(page) < MOST_ELEMENTS
        tutor.open(at["windows"])
        tutor.wait()
        walk(tutor, 2)
        expect(page.locator(".memory .others")).to_have_text("and 476 more tensors")
        tutor.open(at["appended"])
        tutor.wait()
        # The elements of a step are visible, even if the picture counts their storage under "more storages".
        for key, name, others in (("End", "xs[1499]", 500), (",", "loss", 500), (",", "xs[1499]", 499), ("Home", "xs[0]", 0)):
            page.keyboard.press(key)
            expect(page.locator(f'.memory [data-name="{name}"]')).to_be_in_viewport()
            expect(page.locator(".memory > .others")).to_contain_text([f"and {others} more storages"] if others else [])
            assert elements(page) < MOST_ELEMENTS
        assert tutor.complaints == []
        tutor.context.close()


@pytest.mark.long
def test_the_largest_documents_are_shown(browser: Browser) -> None:
    traces = {
        "dense": large.dense(25_000),
        "forged": large.forged(40_000),
        "named": large.named(100_000),
        "windows": large.windows(20_000),
        "printed": large.printed(20_000),
        "deep": large.deep(5_000),
    }
    steps = {"dense": 3, "forged": 1, "named": 2, "windows": 2, "printed": 20_000, "deep": 5_000}
    with large.showing(traces) as (server, at):
        for name, address in at.items():
            tutor = Tutor(browser, server.url)
            tutor.open(address)
            expect(tutor.page.locator(".timeline")).to_be_visible()
            if steps[name] > 1:
                walk(tutor, steps[name])
            assert elements(tutor.page) < MOST_ELEMENTS, name
            assert tutor.complaints == [], name
            tutor.context.close()


def test_a_large_document_can_be_left_while_it_comes(browser: Browser) -> None:
    held: list[Route] = []
    with large.showing({"dense": large.dense(4000)}) as (server, at):
        tutor = Tutor(browser, server.url)
        page = tutor.page

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/api/v1/recordings/*", hold)
        tutor.open(at["dense"])
        expect(page.locator(".notice.progress")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".notice.progress")).to_have_count(0)
        expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
        expect(page.locator(".timeline")).to_have_count(0)
        page.unroute("**/api/v1/recordings/*")
        tutor.open(at["dense"])
        tutor.wait()
        expect(page.locator(".overview-note")).to_be_visible()
        assert tutor.complaints == []
        tutor.context.close()


def with_first_worker(tutor: Tutor, script: str) -> list[str]:
    """Replace the first layout worker by `script`. Return a list to which the URLs of started workers are appended."""
    started: list[str] = []

    def answer(route: Route) -> None:
        if route.request.resource_type == "script":  # other requests for the worker's file only prefetch it
            started.append(route.request.url)
        if len(started) == 1:
            route.fulfill(body=script, content_type="text/javascript", headers={"Cross-Origin-Embedder-Policy": "require-corp"})
        else:
            route.continue_()

    tutor.page.route("**/bundle/layout.worker.js", answer)
    return started


STUCK = "postMessage({kind: 'ready'}); onmessage = ({data}) => data.kind === 'layout' && postMessage({kind: 'begun'});"
"""A worker that starts a layout and never finishes it."""


STUCK_AT = """
const early = [];
self.onmessage = (message) => early.push(message);
await import('./layout.worker.js?as-it-is');
const answer = self.onmessage;
self.onmessage = (message) => {
    if (message.data.kind === 'layout' && message.data.chosen?.size === %s) {
        postMessage({kind: 'begun'});
        console.info('stuck');
    } else answer(message);
};
early.forEach((message) => self.onmessage(message));
"""
"""The real worker, but a layout with this number of chosen groups never finishes."""
MANY_ROUNDS = ROUNDS.replace("range(16)", "range(64)")
CHAIN = "import torch\nx = torch.ones(1, requires_grad=True)\nfor turn in range(200):\n    x = x.sin()\n"
"""Both programs are too large for a layout on the main thread."""


def is_stuck(message: ConsoleMessage) -> bool:
    return message.text == "stuck"


def test_a_new_run_does_not_wait_for_the_layout_of_the_one_before(visit: Visit) -> None:
    for chosen in ("undefined", "0"):  # the first layout of a run, or the layout after folding all groups
        tutor = visit()
        started = with_first_worker(tutor, STUCK_AT % chosen)
        tutor.open()
        tutor.write(MANY_ROUNDS)
        if chosen == "undefined":
            with tutor.page.expect_console_message(is_stuck):  # the page does not terminate a worker that is still loading
                tutor.begin()
            expect(tutor.page.locator(".notice.progress")).to_contain_text("Laying out the pictures")
            tutor.page.keyboard.press("Escape")
        else:
            tutor.run()
            expect(tutor.turn_groups("Unfold every group")).to_be_disabled()
            with tutor.page.expect_console_message(is_stuck):
                tutor.turn_groups("Fold every group")
            tutor.edit()
        tutor.write(CHAIN)
        tutor.run()
        tutor.page.keyboard.press("End")
        # Without a new worker, this run would wait until the stuck worker times out, and would have no picture.
        expect(tutor.page.locator(".graph .node").first).to_be_visible()
        expect(tutor.page.locator(".overview-note")).to_have_count(0)
        assert len(started) == 2


@pytest.mark.long
def test_a_worker_that_does_not_answer_in_time_is_started_anew(visit: Visit) -> None:
    tutor = visit()
    started = with_first_worker(tutor, STUCK)
    tutor.open()
    tutor.write(CHAIN)
    tutor.run()
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".graph .node").first).to_be_visible()
    expect(tutor.page.locator(".overview-note")).to_be_visible()
    assert len(started) == 2
