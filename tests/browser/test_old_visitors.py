"""A visitor who last used commit 1becf7c returns: links, addresses and the data in the browser's storage still work."""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.lessons import lessons
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.compat.held import LINKS, PROFILE, SHOWN, running_on_store
from tests.web.server import Hosted

MODES = ("language", "presenting", "predict", "text")
"""Stored preferences that change the page so much that most tests must leave them out."""
SESSION = """(kept) => {
    if (sessionStorage.length === 0) for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value);
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[Hosted]:
    """Start a server with the database of commit 1becf7c."""
    with running_on_store() as up:
        yield up


@pytest.fixture
def comes_back(server: Hosted, visit: Visit) -> Visit:
    """Return a function that opens a page with the browser storage of commit 1becf7c.

    `without` names preferences to leave out. With `same_tab`, the session storage is also restored.
    """

    def comes_back(*, without: tuple[str, ...] = (), same_tab: bool = True, **options: Any) -> Tutor:
        kept = {key: value for key, value in PROFILE["localStorage"].items() if key.removeprefix("stepgrad.") not in without}
        if same_tab:
            kept["stepgrad.draft"] = "# written later, in another tab\n"
        local = [{"name": key, "value": value} for key, value in kept.items()]
        tutor = visit(storage_state={"cookies": [], "origins": [{"origin": server.url, "localStorage": local}]}, **options)
        if same_tab:
            tutor.context.add_init_script(f"({SESSION})({json.dumps(PROFILE['sessionStorage'])})")
        return tutor

    return comes_back


def shown(page: Page) -> dict[str, Any]:
    """Return the current step, the number of steps, and the line numbers that the slider announces."""
    slider = page.get_by_role("slider")
    told = slider.get_attribute("aria-valuetext") or ""
    return {"step": slider.input_value(), "of": slider.get_attribute("max"), "lines": re.findall(r"\bline (\d+)", told)}


def test_every_address_shows_the_step_that_it_showed(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    for path, addresses in groupby(SHOWN, key=lambda address: address.partition("#")[0]):
        page.goto("about:blank")
        for place, address in enumerate(addresses):
            if place == 0:
                tutor.open(address)
            else:  # as if the visitor edited the step in the address bar
                page.evaluate("(hash) => { location.hash = hash; }", address.removeprefix(path))
            slider = page.get_by_role("slider")
            expect(slider).to_have_value(SHOWN[address]["step"])
            expect(slider).to_have_attribute("max", SHOWN[address]["of"])
            assert shown(page) == SHOWN[address], address
            expect(page).to_have_url(tutor.url + address)


def test_a_step_without_a_granularity_is_one_by_nodes_whatever_is_remembered(comes_back: Visit) -> None:
    tutor = comes_back(without=MODES)
    address = f"/s/{LINKS['wrong']}#step=5"
    tutor.open(address)
    tutor.wait()
    assert shown(tutor.page) == SHOWN[address]
    expect(tutor.page.get_by_role("button", name="Node", exact=True)).to_have_attribute("aria-pressed", "true")


def test_the_page_looks_as_it_was_chosen_to(comes_back: Visit) -> None:
    tutor = comes_back(color_scheme="light")
    page = tutor.page
    tutor.open(f"/s/{LINKS['wrong']}")
    tutor.wait()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    color = page.evaluate("() => getComputedStyle(document.body).color")
    assert min(map(int, re.findall(r"\d+", color)[:3])) > 180, "bright letters on dark ground"
    expect(page.get_by_role("button", name="显示")).to_be_hidden()
    page.get_by_role("button", name="退出演讲模式").click()
    page.get_by_role("button", name="显示").click()
    switches = {switch.inner_text(): switch.get_attribute("aria-checked") for switch in page.get_by_role("switch").all()}
    assert switches == {"高对比度": "true", "用文字代替图": "true", "每一步先预测": "true", "代码旁的值": "true"}
    expect(page.get_by_role("button", name="演讲模式", include_hidden=True)).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("group", name="文字大小").locator("output")).to_have_text("130 %")


def test_a_run_is_driven_as_it_was_chosen_to(comes_back: Visit) -> None:
    tutor = comes_back(without=MODES)
    page = tutor.page
    tutor.open("/")
    expect(page.locator(".cm-content")).to_contain_text("z = x.detach()")
    expect(page.get_by_role("button", name="Live", exact=True)).to_have_attribute("aria-pressed", "true")
    page.locator("body").press("Control+Enter")
    tutor.wait()
    for name in ("Operator", "More room for this pane"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Speed: 2×")).to_be_visible()
    expect(page.get_by_role("tab", name="Calls and variables")).to_have_attribute("aria-selected", "true")

    page.locator("body").press("End")
    expect(page.get_by_role("slider")).to_have_value("10")
    page.locator("body").press(",")
    page.locator("body").press("ArrowLeft")
    expect(page.get_by_role("slider")).to_have_value("9")  # the visitor had disabled single-character keys
    expect(page.get_by_role("button", name=re.compile("1 Hidden.*1 Pinned"))).to_be_visible()
    expect(tutor.named("x")).to_be_visible()
    expect(tutor.named("z")).to_have_count(0)

    unseen = {f"stepgrad.{name}" for name in (*MODES, "draft")}
    kept = page.evaluate("() => ({localStorage: {...localStorage}, sessionStorage: {...sessionStorage}})")
    for where, entries in PROFILE.items():
        assert kept[where].items() >= {key: entries[key] for key in entries.keys() - unseen}.items()


def test_a_new_tab_begins_with_the_draft(comes_back: Visit) -> None:
    tutor = comes_back(without=MODES, same_tab=False)
    tutor.open("/")
    expect(tutor.page.locator(".cm-content")).to_contain_text("z = x.detach()")


def test_the_course_knows_how_far_one_has_come(comes_back: Visit) -> None:
    tutor = comes_back(without=MODES)
    page = tutor.page
    page.goto(f"{tutor.url}/lessons")
    expect(page.locator("body")).to_contain_text(f"3 of {len(lessons())} done")
    marks = {"data-hides-the-write": "predicted incorrectly", "exp-saves-its-output": "predicted correctly"}
    for slug, mark in {**marks, "views-follow-their-base": "run"}.items():
        expect(page.locator(f"#{slug}")).to_contain_text(re.compile(f"{mark}$"))


def test_two_codes_of_ones_own_stand_beside_each_other_again(comes_back: Visit) -> None:
    tutor = comes_back(without=MODES)
    page = tutor.page
    tutor.open("/?compare=own,own#step=3")
    expect(page.get_by_role("slider")).to_have_value("3")
    for title in ("Before the edit", "After the edit"):
        expect(page.get_by_role("heading", name=title).first).to_be_visible()
    expect(page.locator("body")).to_contain_text("y = x.view(2)")
    expect(page.locator("body")).to_contain_text("y = x.clone()")
