"""The actions of a visitor on the page. No method waits for a fixed time: each method waits for a change of the page."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Route, ViewportSize, expect, sync_playwright

from tests.browser import chromium

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
# Without hinting, text is as wide as in a browser with windows.
FLAGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
"""The default size of the window."""
PATIENCE_MS = 120_000
"""The timeout of every action and expectation, in ms. It is long because the machine may be busy; Playwright's default is 5 s."""
expect.set_options(timeout=PATIENCE_MS)
THROTTLE = float(os.environ.get("TEST_STEPGRAD_CPU_THROTTLE", "1"))
"""The factor by which every page is slowed down."""

PASTE = """(element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    element.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true, composed: true}));
}"""
SLIDE = """(slider, step) => {
    slider.value = step;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
}"""
"""Moves the slider without moving the focus."""
READ_POSITIONS = """() => {
    const place = (element) => [...element.querySelectorAll('rect, path')].slice(0, 1).map((shape) => {
        const box = shape.getBBox();
        return [box.x, box.y, box.width, box.height].map((number) => Math.round(number * 10) / 10);
    });
    const found = {};
    for (const kind of ['node', 'saved', 'row', 'tensor', 'storage', 'edge']) {
        for (const element of document.querySelectorAll(`.picture [data-${kind}]`)) {
            if (kind === 'storage' || kind === 'row') {
                for (const cell of element.querySelectorAll('[data-cell] rect')) {
                    const key = `${kind} ${element.getAttribute(`data-${kind}`)} ${cell.parentNode.dataset.cell}`;
                    found[key] = [cell.getAttribute('x'), cell.getAttribute('y')];
                }
            } else {
                const key = element.closest('[data-row]')?.dataset.row ?? '';
                const id = element.getAttribute(`data-${kind}`);
                const number = [...document.querySelectorAll(`.picture [data-${kind}="${id}"]`)].indexOf(element);
                found[`${kind} ${id} ${key} ${number}`] = place(element);
            }
        }
    }
    return found;
}"""

READ_BOXES = """() => {
    const found = {};
    for (const [number, element] of document.querySelectorAll('.pane, .pane h2, .code-pane .act, .imports, .header *').entries()) {
        const box = element.getBoundingClientRect();
        found[`${number} ${element.tagName}`] = [box.x, box.y, box.width, box.height].map((length) => Math.round(length * 10) / 10);
    }
    return found;
}"""


def leave_out_without_browser() -> None:
    """Skip the test before any setup if the system has no browser."""
    if left_out := chromium.why_left_out():
        pytest.skip(left_out)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the system's headless Chromium, which needs less processor time for its pages than a browser with windows."""
    leave_out_without_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(chromium.NAME), args=FLAGS)
        yield browser
        browser.close()


FONTS_ARE_HERE = "() => localStorage.getItem('stepgrad.fonts') !== null && document.fonts.status === 'loaded'"
"""On a first visit fonts load last, and text of another width moves what follows it."""

# A page loads its fonts after the first drawing.
TWO_FRAMES = "(done) => requestAnimationFrame(() => requestAnimationFrame(done))"


class Held(list[Route]):
    """The requests that match a pattern, held back until `release`."""

    def __init__(self, page: Page, pattern: str) -> None:
        super().__init__()
        self._page = page
        self._are_released = False
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        if self._are_released:
            route.continue_()
        else:
            self.append(route)

    def wait(self, count: int = 1) -> Route:
        """Wait for the request with this number (from 1) and return it. A page may announce a request before it sends it."""
        give_up = time.monotonic() + PATIENCE_MS / 1000
        while len(self) < count:
            assert time.monotonic() < give_up, f"{len(self)} of {count} requests have come"
            self._page.wait_for_timeout(20)
        return self[count - 1]

    def release(self) -> None:
        """Continue the held requests and all later requests."""
        self.wait()
        self._are_released = True
        for route in self:
            route.continue_()


class Tutor:
    """A visitor's page at `url`, with the errors and warnings that it logged."""

    def __init__(self, browser: Browser, url: str, *, tab: Page | None = None, **options: Any) -> None:
        """Use `tab`, or open a tab in a new context with these options."""
        options = {"viewport": VIEWPORT, "locale": "en-US", "reduced_motion": "reduce", **options}
        self.context = browser.new_context(**options) if tab is None else tab.context
        self.context.set_default_timeout(PATIENCE_MS)
        self.url = url
        self.complaints: list[str] = []
        self.page = self._tab() if tab is None else tab
        self._listen(self.page)

    def _listen(self, page: Page) -> None:
        page.on("console", self._heard)
        page.on("pageerror", self._failed)

    def leave(self, tab: Page) -> None:
        """Stop listening to a tab that another visitor takes over."""
        tab.remove_listener("console", self._heard)
        tab.remove_listener("pageerror", self._failed)

    def _tab(self) -> Page:
        page = self.context.new_page()
        if THROTTLE != 1:
            self.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        return page

    def another_tab(self) -> "Tutor":
        """Return the same visitor with one more tab."""
        other = copy(self)
        other.page = self._tab()
        self._listen(other.page)
        return other

    def front(self) -> Page:
        """Bring the tab to the front. A browser rarely draws other tabs, so every click there would take a second."""
        self.page.bring_to_front()
        return self.page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))

    def open(self, path: str = "/") -> None:
        """Go to `path` and wait until the page is visible."""
        self.front().goto(self.url + path)
        expect(self.page.locator(".app")).to_be_visible()

    def write(self, source: str) -> None:
        """Replace the code in the editor, as pasting does."""
        editor = self.front().locator(".cm-content")
        expect(editor).to_have_attribute("contenteditable", "true")
        editor.click()
        self.page.keyboard.press("Control+a")
        editor.evaluate(PASTE, source)

    def run(self, *, stay: bool = False) -> None:
        """Press Run, wait until the new run is shown, and go to its first step.

        While it waits, the page may show an earlier run. With `stay`, remain at the step where the run opens.
        """
        expect(self.page.locator(".code-pane.edit")).to_have_count(1)
        self.page.locator(".code-pane").get_by_role("button", name="Run").click()
        self.wait_for_new()
        if not stay:
            self.slide_to(1)

    def begin(self) -> None:
        """Press Run and wait until the page shows that the run is in progress or queued."""
        self.front().locator(".code-pane").get_by_role("button", name="Run").click()
        expect(self.page.locator(".notice.progress")).to_be_visible()

    def boxes(self) -> dict[str, Any]:
        """Return the screen positions of panes, buttons and lines of code, after the page's fonts have loaded."""
        self.page.wait_for_function(FONTS_ARE_HERE)
        found: dict[str, Any] = self.page.evaluate(READ_BOXES)
        return found

    def expect_no_complaint_but(self, *words: str) -> None:
        """Forget the complaints that contain one of these words, because the test caused them."""
        self.complaints[:] = [text for text in self.complaints if not any(word in text for word in words)]

    def wait(self) -> None:
        """Wait until a page without a run shows one."""
        expect(self.page.locator(".timeline")).to_be_visible()
        self.page.wait_for_function(FONTS_ARE_HERE)

    def stop_clock(self) -> None:
        """Let only the test advance the page's clock from now on. Needs `clock.install()`."""
        # Far in the future, because Playwright refuses a time in the past.
        self.page.clock.pause_at(self.page.evaluate("() => Date.now() / 1000 + 1000"))

    def wait_for_new(self) -> None:
        """Wait until a run of the editor's code is shown."""
        expect(self.page.locator(".code-pane.replay")).to_have_count(1)
        self.wait()

    def edit(self) -> None:
        """Press Edit and wait until the code can be edited."""
        self.page.locator(".code-pane").get_by_role("button", name="Edit").click()
        expect(self.page.locator(".cm-content")).to_have_attribute("contenteditable", "true")

    def turn_groups(self, name: str) -> Locator:
        """Press a button in the menu of groups if it is enabled, and close the menu. Return the button."""
        self.page.get_by_role("button", name="Groups of Nodes", exact=True).click()
        button = self.page.locator("#folds").get_by_role("button", name=name, exact=True, include_hidden=True)
        if button.is_enabled():
            button.click()
        self.page.locator("#folds").evaluate("(menu) => menu.hidePopover()")
        return button

    def at_step(self, number: int) -> None:
        """Wait until the page shows this step."""
        expect(self.page.locator(".position b")).to_have_text(f"Step {number}")

    def show(self, pane: str) -> None:
        """Show a pane that may be behind a tab."""
        tab = self.page.locator(f"#tab-{pane}")
        if tab.count() == 1:
            tab.click()

    def to_start(self) -> None:
        """Go to the first step, because a run may open at another step."""
        self.page.locator("body").press("Home")
        self.at_step(1)

    def step_to(self, number: int) -> None:
        """Go to the first step and then to this one, as the slider does, and wait until the page shows it."""
        self.to_start()
        self.slide_to(number)

    def slide_to(self, number: int) -> None:
        """Go to a step as the slider does, without moving the focus."""
        self.page.locator(".slider").evaluate(SLIDE, str(number))
        self.at_step(number)

    def share(self) -> str:
        """Press Share, close its dialog, and return the link to this step."""
        self.page.get_by_role("button", name="Share").click()
        field = self.page.get_by_role("textbox", name="Link", exact=True)
        expect(field).to_be_focused()
        link = field.input_value()
        self.page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        return link

    def step_at(self, line: int, after: str = "") -> None:
        """Step forward until the line that just ran is `line` and the story contains `after`."""
        begun = int(self.page.locator(".position b").inner_text().removeprefix("Step "))
        for number in range(begun + 1, begun + 61):
            at = self.page.locator(".position-line").inner_text() == f"line {line}"
            if at and after in (self.page.locator(".story").text_content() or ""):
                return
            self.page.keyboard.press(".")
            self.at_step(number)
        raise AssertionError(f"no step on line {line} has {after!r} in its story")

    def named(self, name: str) -> Locator:
        """Return the card of the tensor that `name` refers to."""
        return self.page.locator(f'.memory [data-tensor]:has([data-name="{name}"])')

    def version(self, name: str) -> str:
        """Return the number in the version pill of `name`."""
        return self.named(name).locator(".pill").get_attribute("data-version") or ""

    def row(self, name: str) -> Locator:
        """Return the row of the storage that `name` uses, with all tensors that share it."""
        return self.page.locator(f'.memory [data-row]:has([data-name="{name}"])')

    def cells(self, name: str) -> list[str]:
        """Return the values in the storage that `name` uses."""
        return self.row(name).locator(".cell-value").all_text_contents()

    def positions(self) -> dict[str, Any]:
        """Return the positions of all elements of the two pictures, in the pictures' units."""
        found: dict[str, Any] = self.page.evaluate(READ_POSITIONS)
        return found

    def picture(self) -> str:
        """Return both pictures as a string, for comparisons."""
        shapes = self.page.evaluate("() => [...document.querySelectorAll('.picture svg')].map((svg) => svg.innerHTML)")
        return json.dumps(shapes)

    def shoot(self, name: str) -> None:
        """Save a screenshot for a person to look at."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.evaluate(f"() => new Promise({TWO_FRAMES}).then(() => document.fonts.ready)")
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
