"""General behaviour of the page: keys, errors, languages, themes and window sizes."""

import json

from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.waiting import wait_until

MOVES = [
    (".", 2),
    ("ArrowRight", 3),
    (",", 2),
    ("ArrowLeft", 1),
    ("PageDown", 11),
    ("PageUp", 1),
    ("w", 8),
    ("End", 15),
    ("Home", 1),
]
"""Keys to press in this order, and the step after each."""

NAME_OF_FOCUSED = """() => {
    const element = document.activeElement;
    if (element === document.body) return '';
    return element.ariaLabel || element.labels?.[0]?.textContent || element.textContent.trim() || element.className;
}"""
TOO_SMALL = """() => [...document.querySelectorAll('.app *:not(.cell-index)')]
    .filter((element) => [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .filter((element) => element.getClientRects().length)
    .filter((element) => parseFloat(getComputedStyle(element).fontSize) * (element.getScreenCTM?.().a ?? 1) < 11.95)
    .map((element) => element.textContent)"""


def test_by_keyboard_alone(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write")
    page = tutor.page
    page.keyboard.press("Control+Enter")
    tutor.wait()
    tutor.to_start()
    number = page.locator(".position b")
    for key, expected in MOVES:
        page.keyboard.press(key)
        expect(number).to_have_text(f"Step {expected}")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(number).not_to_have_text("Step 1")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    page.keyboard.press("F2")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    editor = page.locator(".cm-content")
    expect(editor).to_have_attribute("contenteditable", "true")
    editor.focus()
    expect(editor).to_be_focused()
    editor.press("Control+End")
    editor.press_sequentially(".,w ")
    expect(editor).to_contain_text(".,w")
    run = page.get_by_role("button", name="Run", exact=True)

    def is_left() -> bool:
        page.keyboard.press("Escape")  # the first Escape closes a completion list that may be about to open
        return bool(run.evaluate("(button) => button.matches(':focus')"))

    wait_until(is_left)


def test_every_control_has_a_name_and_can_be_reached(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    reached = set()
    for _ in range(90):
        tutor.page.keyboard.press("Tab")
        reached.add(tutor.page.evaluate(NAME_OF_FOCUSED))
    for wanted in ("Lessons", "Next lesson", "Share", "Help", "Edit", "Next step", "Play", "Steps of the run", "中文"):
        assert any(wanted in name for name in reached), f"{wanted} cannot be reached by Tab: {reached}"


def test_an_error_of_the_server_is_shown_with_its_hint(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    answer = {"error": "asleep", "message": "Too many runs at once.", "hint": "Try again in 2 seconds."}

    def refuse(route: Route) -> None:
        route.fulfill(status=429, content_type="application/json", body=json.dumps(answer))

    tutor.page.route("**/api/v1/traces", refuse)
    tutor.page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(tutor.page.get_by_role("alert")).to_contain_text("Too many runs at once.")
    expect(tutor.page.get_by_role("alert")).to_contain_text("Try again in 2 seconds.")
    tutor.shoot("error")
    tutor.page.unroute("**/api/v1/traces")
    tutor.run()
    expect(tutor.page.get_by_role("alert")).to_have_count(0)
    tutor.complaints[:] = [text for text in tutor.complaints if "429" not in text]


def test_the_draft_outlives_the_page(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nmine = torch.ones(3)\n")
    tutor.open("/")
    expect(tutor.page.locator(".cm-content")).to_contain_text("mine = torch.ones(3)")


def test_a_snippet_that_cannot_be_parsed(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nx = = 1\n")
    tutor.page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(tutor.page.locator(".fault")).to_have_text("Line 2 is not valid Python: invalid syntax")
    expect(tutor.page.locator(".sign.flag")).to_have_count(1)
    expect(tutor.page.locator(".timeline")).to_have_count(0)
    tutor.shoot("syntax-error")


def test_large_memory_is_shown_as_a_summary(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nbig = torch.arange(10000.).reshape(100, 100)\nrow = big[3]\nrow.mul_(2)\n")
    tutor.run()
    tutor.page.keyboard.press("End")
    expect(tutor.row("big").locator(".summary-text").first).to_have_text("10,000 values")
    assert tutor.version("big") == "v1"
    tutor.shoot("large")


def test_the_graph_can_be_enlarged_and_fitted(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    picture = tutor.page.locator(".graph-pane svg.graph")
    fitting = picture.get_attribute("width")
    tutor.page.get_by_role("button", name="Larger").click()
    expect(picture).not_to_have_attribute("width", fitting or "")
    larger = picture.get_attribute("width")
    tutor.page.keyboard.press(".")
    expect(tutor.page.locator(".position b")).to_have_text("Step 9")
    assert picture.get_attribute("width") == larger, "the size stays from step to step"
    tutor.page.locator(".graph-pane .picture").press("0")
    expect(picture).to_have_attribute("width", fitting or "")
    tutor.page.locator(".graph-pane .picture").press("+")
    expect(picture).to_have_attribute("width", larger or "")
    tutor.page.locator(".graph-pane .picture").press("-")
    expect(picture).to_have_attribute("width", fitting or "")
    expect(tutor.page.get_by_role("button", name="Smaller")).to_be_disabled()  # the whole picture is visible
    tutor.page.locator(".graph-pane .picture").press("+")
    expect(picture).to_have_attribute("width", larger or "")
    tutor.page.get_by_role("button", name="Fit").click()
    expect(picture).to_have_attribute("width", fitting or "")
    tutor.page.get_by_role("button", name="Fit").click()  # the whole picture fits at its original size
    expect(picture).not_to_have_attribute("width", fitting or "")
    assert picture.evaluate("svg => Math.round(svg.width.baseVal.value) === svg.viewBox.baseVal.width")


def test_every_row_of_the_lesson_is_in_sight(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=15")
    tutor.wait()
    for name in ("x", "w1", "w2", "d", "d_", "f", "w1.grad", "w2.grad"):
        expect(tutor.named(name)).to_be_in_viewport(ratio=1)


def test_switches_change_words_and_colours_and_are_remembered(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    tutor.page.get_by_role("button", name="中文").click()
    expect(tutor.page.locator("#memory-title")).to_have_text("内存")
    expect(tutor.page.locator("html")).to_have_attribute("lang", "zh-CN")
    tutor.page.get_by_role("button", name="浅色或深色").click()
    expect(tutor.page.locator("html")).to_have_attribute("data-theme", "dark")
    tutor.page.reload()
    expect(tutor.page.locator("#memory-title")).to_have_text("内存")
    expect(tutor.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_page_that_is_not_there(visit: Visit) -> None:
    tutor = visit()
    tutor.page.goto(f"{tutor.url}/s/AAAAAAAAAA")
    expect(tutor.page.locator("h1")).to_be_visible()
    tutor.shoot("lost")
    tutor.complaints[:] = [text for text in tutor.complaints if "404" not in text]
