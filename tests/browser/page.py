"""A page object for Playwright: the actions of a visitor. Methods wait for changes of the page, never for a fixed time."""

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
# Without hinting, text in headless Chromium is as wide as in Chromium with windows.
FLAGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
"""The size of the window in CSS pixels."""
PATIENCE_MS = 120_000
"""The timeout in ms of actions and expectations. Playwright's default of 5 s is too short on a busy machine."""
expect.set_options(timeout=PATIENCE_MS)
THROTTLE = float(os.environ.get("TEST_STEPGRAD_CPU_THROTTLE", "1"))
"""A factor by which Chromium slows down the scripts of every page."""

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
    """Skip the test if the operating system has no suitable Chromium."""
    if left_out := chromium.why_left_out():
        pytest.skip(left_out)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start headless Chromium."""
    leave_out_without_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(chromium.NAME), args=FLAGS)
        yield browser
        browser.close()


FONTS_ARE_HERE = "() => localStorage.getItem('stepgrad.fonts') !== null && document.fonts.status === 'loaded'"
"""On a first visit, fonts load after the page is drawn, and then text changes its width and moves."""

TWO_FRAMES = "(done) => requestAnimationFrame(() => requestAnimationFrame(done))"


class Held(list[Route]):
    """Intercepts requests that match a pattern, and holds them back until `release`."""

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
        """Wait until `count` requests were intercepted, and return the last of them."""
        give_up = time.monotonic() + PATIENCE_MS / 1000
        while len(self) < count:
            assert time.monotonic() < give_up, f"{len(self)} of {count} requests have come"
            self._page.wait_for_timeout(20)
        return self[count - 1]

    def release(self) -> None:
        """Send the held requests. Requests after the call are no longer held back."""
        self.wait()
        self._are_released = True
        for route in self:
            route.continue_()


class Tutor:
    """A visitor with a tab at `url`. `complaints` contains the errors and warnings in the console."""

    def __init__(self, browser: Browser, url: str, *, tab: Page | None = None, **options: Any) -> None:
        """Use an open tab, or open a tab in a new browser context with these options."""
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
        """Stop collecting console messages of a tab."""
        tab.remove_listener("console", self._heard)
        tab.remove_listener("pageerror", self._failed)

    def _tab(self) -> Page:
        page = self.context.new_page()
        if THROTTLE != 1:
            self.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        return page

    def another_tab(self) -> "Tutor":
        """Return the same visitor with an additional tab."""
        other = copy(self)
        other.page = self._tab()
        self._listen(other.page)
        return other

    def front(self) -> Page:
        """Bring the tab to the front. Chromium rarely draws background tabs, so a click there would take a second."""
        self.page.bring_to_front()
        return self.page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))

    def open(self, path: str = "/") -> None:
        """Go to `path`, and wait until the page is visible."""
        self.front().goto(self.url + path)
        expect(self.page.locator(".app")).to_be_visible()

    def write(self, source: str) -> None:
        """Paste code into the editor, replacing what was there."""
        editor = self.front().locator(".cm-content")
        expect(editor).to_have_attribute("contenteditable", "true")
        editor.click()
        self.page.keyboard.press("Control+a")
        editor.evaluate(PASTE, source)

    def run(self, *, stay: bool = False) -> None:
        """Press Run, wait until the new run is shown, and go to its first step.

        With `stay`, remain at the step at which the page shows the run.
        """
        expect(self.page.locator(".code-pane.edit")).to_have_count(1)
        self.page.locator(".code-pane").get_by_role("button", name="Run").click()
        self.wait_for_new()
        if not stay:
            self.slide_to(1)

    def begin(self) -> None:
        """Press Run, and wait until the page shows that the run is queued or running."""
        self.front().locator(".code-pane").get_by_role("button", name="Run").click()
        expect(self.page.locator(".notice.progress")).to_be_visible()

    def boxes(self) -> dict[str, Any]:
        """Return the positions of panes, buttons and lines of code, in CSS pixels, after the fonts have loaded."""
        self.page.wait_for_function(FONTS_ARE_HERE)
        found: dict[str, Any] = self.page.evaluate(READ_BOXES)
        return found

    def expect_no_complaint_but(self, *words: str) -> None:
        """Remove the console messages that the test caused: those that contain one of these words."""
        self.complaints[:] = [text for text in self.complaints if not any(word in text for word in words)]

    def wait(self) -> None:
        """Wait until the page shows a run."""
        expect(self.page.locator(".timeline")).to_be_visible()
        self.page.wait_for_function(FONTS_ARE_HERE)

    def stop_clock(self) -> None:
        """Stop the page's clock. From now on, only the test advances the clock. Needs `clock.install()`."""
        # Playwright accepts only a time in the future.
        self.page.clock.pause_at(self.page.evaluate("() => Date.now() / 1000 + 1000"))

    def wait_for_new(self) -> None:
        """Wait until the page shows the run of the code in the editor."""
        expect(self.page.locator(".code-pane.replay")).to_have_count(1)
        self.wait()

    def edit(self) -> None:
        """Press Edit, and wait until the code can be edited."""
        self.page.locator(".code-pane").get_by_role("button", name="Edit").click()
        expect(self.page.locator(".cm-content")).to_have_attribute("contenteditable", "true")

    def turn_groups(self, name: str) -> Locator:
        """Press a button in the menu of graph groups if it is enabled. Close the menu, and return the button."""
        self.page.get_by_role("button", name="Groups of Nodes", exact=True).click()
        button = self.page.locator("#folds").get_by_role("button", name=name, exact=True, include_hidden=True)
        if button.is_enabled():
            button.click()
        self.page.locator("#folds").evaluate("(menu) => menu.hidePopover()")
        return button

    def at_step(self, number: int) -> None:
        expect(self.page.locator(".position b")).to_have_text(f"Step {number}")

    def show(self, pane: str) -> None:
        """Show a pane, which may be behind a tab."""
        tab = self.page.locator(f"#tab-{pane}")
        if tab.count() == 1:
            tab.click()

    def to_start(self) -> None:
        """Go to the first step."""
        self.page.locator("body").press("Home")
        self.at_step(1)

    def step_to(self, number: int) -> None:
        """Go to the first step, and from there to this step."""
        self.to_start()
        self.slide_to(number)

    def slide_to(self, number: int) -> None:
        """Go to a step with the slider, without moving the focus."""
        self.page.locator(".slider").evaluate(SLIDE, str(number))
        self.at_step(number)

    def share(self) -> str:
        """Open and close the sharing dialog, and return the link to the current step."""
        self.page.get_by_role("button", name="Share").click()
        field = self.page.get_by_role("textbox", name="Link", exact=True)
        expect(field).to_be_focused()
        link = field.input_value()
        self.page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        return link

    def step_at(self, line: int, after: str = "") -> None:
        """Step forward until the statement on `line` was executed and the explanation of the step contains `after`."""
        begun = int(self.page.locator(".position b").inner_text().removeprefix("Step "))
        for number in range(begun + 1, begun + 61):
            at = self.page.locator(".position-line").inner_text() == f"line {line}"
            if at and after in (self.page.locator(".story").text_content() or ""):
                return
            self.page.keyboard.press(".")
            self.at_step(number)
        raise AssertionError(f"no step on line {line} has {after!r} in its story")

    def named(self, name: str) -> Locator:
        """Return the element of the tensor that the variable `name` refers to."""
        return self.page.locator(f'.memory [data-tensor]:has([data-name="{name}"])')

    def version(self, name: str) -> str:
        """Return the version of the tensor that the variable `name` refers to, as text."""
        return self.named(name).locator(".pill").get_attribute("data-version") or ""

    def row(self, name: str) -> Locator:
        """Return the row of the storage that the tensor `name` uses."""
        return self.page.locator(f'.memory [data-row]:has([data-name="{name}"])')

    def cells(self, name: str) -> list[str]:
        """Return the values in the storage that the tensor `name` uses, as text."""
        return self.row(name).locator(".cell-value").all_text_contents()

    def positions(self) -> dict[str, Any]:
        """Return the positions of all elements of both pictures, in SVG units."""
        found: dict[str, Any] = self.page.evaluate(READ_POSITIONS)
        return found

    def picture(self) -> str:
        """Return the SVG of both pictures as a string, for comparisons."""
        shapes = self.page.evaluate("() => [...document.querySelectorAll('.picture svg')].map((svg) => svg.innerHTML)")
        return json.dumps(shapes)

    def shoot(self, name: str) -> None:
        """Save a screenshot for review by a person."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.evaluate(f"() => new Promise({TWO_FRAMES}).then(() => document.fonts.ready)")
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
