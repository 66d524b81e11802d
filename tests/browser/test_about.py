"""The "About this run" pane: whether the code was edited since, the versions of Python and torch, and the limits."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

from app import __version__
from app.trace.records import Limits
from tests.browser.conftest import Visit
from tests.web.server import Hosted, hosted

LESSON = "/lessons/data-hides-the-write#step=8"
LIMITS = Path(__file__).parents[2] / "static/js/lazy/help/limits.js"


@pytest.fixture(scope="module")
def server() -> Iterator[Hosted]:
    with hosted() as up:
        yield up


def test_the_page_knows_the_limits_that_a_trace_leaves_out() -> None:
    text = LIMITS.read_text().split("export const LIMITS = ")[1].strip().rstrip(";")
    known = json.loads(re.sub(r",\s*}", "}", re.sub(r"(\w+):", r'"\1":', text)))
    assert known == {field.name: field.default for field in msgspec.structs.fields(Limits)}


def test_the_header_of_a_trace_is_one_click_away(visit: Visit) -> None:
    for size in ((1440, 900), (360, 740)):
        tutor = visit(viewport={"width": size[0], "height": size[1]})
        tutor.open(LESSON)
        tutor.wait()
        page = tutor.page
        page.get_by_role("button", name="About this run").click()
        about = page.get_by_role("dialog", name="About this run")
        for text in (
            "2.13.0",
            "3.11",
            __version__,
            "seed",
            "cpu",
            "11 of 20,000",
            "31 of 100,000",
            "1 GiB",
            "8 s",
            "256 elements",
        ):
            expect(about).to_contain_text(text)
        tutor.shoot(f"about-{size[0]}")
        page.keyboard.press("Escape")
        expect(about).to_be_hidden()
        expect(page.locator(".position b")).to_have_text("Step 8")


def test_that_the_code_was_edited_is_always_in_sight(visit: Visit) -> None:
    for size in ((1440, 900), (1024, 768), (390, 844)):
        tutor = visit(viewport={"width": size[0], "height": size[1]})
        tutor.open(LESSON)
        tutor.wait()
        page = tutor.page
        edited = page.locator(".timeline .edited")
        expect(edited).to_have_count(0)
        page.keyboard.press("F2")
        expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
        page.locator(".cm-content").press("Control+End")
        page.keyboard.type("#")
        expect(edited).to_be_in_viewport(ratio=1)
        page.locator(".timeline .next").click()
        tutor.at_step(9)
        expect(edited).to_be_in_viewport(ratio=1)
        tutor.shoot(f"edited-{size[0]}")
        page.locator(".cm-content").press("Control+End")
        page.keyboard.press("Backspace")
        expect(edited).to_have_count(0)
