"""The menu of examples and recent programs. The menu loads when it is opened, and choosing a program from it never loses the
visitor's draft.
"""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from app.examples import examples
from tests.browser.axe import violations
from tests.browser.conftest import Visit

DRAFT = "# my own experiment\nimport torch\nx = torch.ones(2)\n"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
INSIDE = """(menu) => {
    const {left, top, right, bottom} = menu.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""


def menu(page: Page, name: str = "Examples") -> Locator:
    page.get_by_role("button", name=name, exact=True).click()
    opened = page.locator("#examples")
    expect(opened.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return opened


def code(page: Page) -> Locator:
    return page.locator(".code-pane .cm-content")


def rows(opened: Locator) -> list[str]:
    return [row.removesuffix("\n") for row in opened.locator(".display-row > span:first-child").all_inner_texts()]


def test_an_example_comes_into_the_editor_and_undo_brings_the_code_back(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    tutor.open()
    tutor.write(DRAFT)
    assert not any("examples" in url for url in asked), "the first visit loads no menu"
    opened = menu(page)
    assert [title.replace("`", "") for title in rows(opened)] == [each.title.en.replace("`", "") for each in examples()]
    assert violations(page) == []
    opened.get_by_role("button", name="A transformer block").click()
    expect(opened).to_be_hidden()
    expect(code(page)).to_contain_text("class Block(nn.Module):")
    assert rows(menu(page))[8:] == ["my own experiment"], "what an example replaced"
    page.keyboard.press("Escape")
    code(page).click()
    page.keyboard.press("Control+z")
    expect(code(page)).to_contain_text("my own experiment")


def test_programs_that_ran_are_listed_once_and_cleared(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    for source in (DRAFT, "# another one\ny = 1\n", DRAFT):
        tutor.write(source)
        tutor.run()
        tutor.edit()
    opened = menu(page)
    assert rows(opened)[8:] == ["my own experiment", "another one"]
    opened.get_by_role("button", name="another one").click()
    expect(code(page)).to_contain_text("y = 1")
    page.reload()
    opened = menu(page)
    assert rows(opened)[8:] == ["my own experiment", "another one"], "they stay with the browser"
    opened.get_by_role("button", name="Clear").click()
    assert rows(opened)[8:] == []
    expect(opened.get_by_role("button", name="Clear")).to_have_count(0)
    page.reload()
    assert rows(menu(page))[8:] == []
    assert violations(page) == []


def test_ten_programs_are_kept_at_most_and_what_is_stored_is_bounded(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    kept = [[f"# program {number}\n", 1.8e12] for number in range(30)]
    page.evaluate("(kept) => localStorage.setItem('stepgrad.recent', kept)", json.dumps([*kept, 5, ["x"], None]))
    assert rows(menu(page))[8:] == [f"program {number}" for number in range(10)]
    page.keyboard.press("Escape")
    for letter in "ab":
        tutor.write(f"# large {letter}\nx = 1  # " + letter * 60_000)
        tutor.run()
        tutor.edit()
    assert rows(menu(page))[8:10] == ["large b", "program 0"], "the other one has no room"
    assert len(page.evaluate("() => localStorage.getItem('stepgrad.recent')")) < 110_000


@pytest.mark.parametrize("stored", ["", "{", "7", '{"a": 1}', '[["\\ud800", 1e400]]'])
def test_anything_may_be_stored(visit: Visit, stored: str) -> None:
    tutor = visit()
    tutor.context.add_init_script(f"localStorage.setItem('stepgrad.recent', {json.dumps(stored)})")
    tutor.open()
    assert len(rows(menu(tutor.page))) >= 8


def test_without_storage_the_menu_has_the_examples(visit: Visit) -> None:
    tutor = visit()
    tutor.context.add_init_script(NO_STORAGE)
    tutor.open()
    tutor.write(DRAFT)
    tutor.page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(tutor.page.locator(".code-pane.replay")).to_have_count(1)
    tutor.edit()
    opened = menu(tutor.page)
    assert len(rows(opened)) == 8
    opened.get_by_role("button", name="A first gradient").click()
    expect(code(tutor.page)).to_contain_text("y = x ** 2")


def test_a_menu_that_cannot_load_says_so(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    page.route("**/api/v1/examples", lambda route: route.abort())
    page.get_by_role("button", name="Examples", exact=True).click()
    expect(page.locator("#examples").get_by_role("status")).not_to_be_empty()
    page.keyboard.press("Escape")
    page.unroute("**/api/v1/examples")
    assert len(rows(menu(page))) == 8
    tutor.expect_no_complaint_but("Failed to load resource")


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844), (320, 480)])
@pytest.mark.parametrize(("locale", "name"), [("en-US", "Examples"), ("zh-CN", "示例")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_menu_is_within_the_page(visit: Visit, size: tuple[int, int], locale: str, name: str, scheme: str) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]}, locale=locale, color_scheme=scheme)
    kept = [[f"# {'a long headline ' * 9}{number}\n", 1.8e12] for number in range(10)]
    tutor.context.add_init_script(f"localStorage.setItem('stepgrad.recent', {json.dumps(json.dumps(kept))})")
    tutor.open()
    opened = menu(tutor.page, name)
    assert len(rows(opened)) == 18
    assert opened.evaluate(INSIDE)
    assert violations(tutor.page) == []


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844), (320, 568)])
def test_the_head_holds_every_button_while_a_run_is_edited(visit: Visit, size: tuple[int, int]) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]})
    tutor.open()
    tutor.write(f"{DRAFT}device = 'cuda'\n")
    tutor.run(stay=True)
    tutor.show("code")
    tutor.edit()
    page = tutor.page
    for name in ("Examples", "CPU as GPU", "Live", "Run"):
        expect(page.locator(".code-pane .pane-head").get_by_role("button", name=name, exact=True)).to_be_visible()
    right = page.locator(".code-pane").evaluate("(pane) => pane.getBoundingClientRect().right")
    assert page.locator(".code-pane .pane-head > :last-child").evaluate("(last) => last.getBoundingClientRect().right") <= right
    assert violations(page) == []
