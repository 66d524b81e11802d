"""Search and completion in the editor load on first use, and do not take over the editor's usual keys."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

SOURCE = "import torch\nx = torch.ones(2)\ny = x + 1\n"


def opened(visit: Visit, **options: object) -> tuple[Tutor, Page]:
    tutor = visit(**options)
    tutor.open()
    tutor.write(SOURCE)
    tutor.page.keyboard.press("Control+End")
    return tutor, tutor.page


def names(page: Page) -> Locator:
    return page.locator(".cm-tooltip-autocomplete li")


def text(page: Page) -> str:
    return page.locator(".cm-content").inner_text()


def test_find_opens_by_its_key_and_escape_closes_it_then_leaves(visit: Visit) -> None:
    _, page = opened(visit)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    assert page.evaluate("() => !performance.getEntriesByType('resource').some(({name}) => name.includes('codemirror-more'))")
    page.keyboard.press("Control+f")
    field = page.get_by_role("textbox", name="Find")
    expect(field).to_be_focused()
    assert any("codemirror-more.js" in url for url in asked)
    page.keyboard.type("ones")
    expect(page.locator(".cm-searchMatch")).to_have_text(["ones"])
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.locator(".cm-searchMatch-selected")).to_have_count(1)
    page.get_by_role("textbox", name="Replace with").fill("zeros")
    page.get_by_role("button", name="Replace all").click()
    expect(page.locator(".cm-content")).to_contain_text("torch.zeros(2)")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".code-pane").get_by_role("button", name="Run")).to_be_focused()


def test_a_field_of_find_is_no_place_for_shortcuts(visit: Visit) -> None:
    tutor, page = opened(visit)
    tutor.run()
    tutor.edit()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+f")
    expect(page.get_by_role("textbox", name="Find")).to_be_focused()
    page.keyboard.type("pmt?l")
    expect(page.get_by_role("textbox", name="Find")).to_have_value("pmt?l")
    expect(page.locator("html")).to_have_attribute("data-presenting", "off")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    expect(page.get_by_role("textbox", name="Find")).to_have_count(0)


def test_find_speaks_the_language_of_the_page(visit: Visit) -> None:
    _, page = opened(visit, locale="zh-CN")
    page.keyboard.press("Control+f")
    expect(page.get_by_role("textbox", name="查找")).to_be_focused()
    expect(page.get_by_role("button", name="全部替换")).to_be_visible()


def test_names_of_torch_complete_what_is_typed(visit: Visit) -> None:
    _, page = opened(visit)
    page.keyboard.type("z = torch.")
    expect(names(page).first).to_be_visible()
    page.keyboard.type("linsp")
    expect(names(page)).to_have_text(["linspace"])
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_count(0)
    page.keyboard.type("(0, 1, 3).")
    expect(names(page).first).to_be_visible()
    page.keyboard.type("requires_")
    expect(names(page).filter(has_text="requires_grad_")).to_have_count(1)
    assert "z = torch.linspace(0, 1, 3).requires_" in text(page)


def test_the_keys_of_the_editor_stay(visit: Visit) -> None:
    """Enter inserts a line break unless a completion is selected. Tab indents. Escape leaves the editor if no list is open."""
    _, page = opened(visit)
    page.keyboard.type("torch.on")
    expect(names(page).first).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type("x.su")
    expect(names(page).first).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert text(page).rstrip().endswith("torch.on\n    x.su")
    page.keyboard.type("m")
    expect(names(page).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(names(page)).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".code-pane").get_by_role("button", name="Run")).to_be_focused()


def test_nothing_is_completed_in_words_and_numbers(visit: Visit) -> None:
    _, page = opened(visit)
    page.keyboard.type("torch.")
    expect(names(page).first).to_be_visible()
    for line in ("# torch.", "'torch.", "3.", "import math\nmath."):
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.type(line)
        page.wait_for_timeout(400)
        expect(names(page)).to_have_count(0)
