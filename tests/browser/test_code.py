"""The code pane of a recorded run: clicking a line goes to its step, breakpoints stop playing, hovering a name shows its
value.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

SOURCE = """\
import torch

def scale(a, by):
    b = a * by
    return b

w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    y = scale(w, i)
    y.sum().backward()
if i > 5:
    print("never")
print(w.data_ptr(), hex(id(w)))
"""


def opened(visit: Visit, **options: object) -> Tutor:
    tutor = visit(**options)
    tutor.open()
    tutor.write(SOURCE)
    tutor.run()
    return tutor


def line(page: Page, number: int) -> Locator:
    return page.locator(".code-pane .cm-line").nth(number - 1)


def at(page: Page, number: int, round_: int | None = None) -> None:
    expect(page.locator(".position-line")).to_contain_text(f"line {number}")
    if round_ is not None:
        expect(page.locator(".position")).to_contain_text(f"round {round_} of 3")


def click(page: Page, number: int) -> None:
    line(page, number).click(position={"x": 12, "y": 8})


def test_a_line_leads_to_its_next_step(visit: Visit) -> None:
    page = opened(visit).page
    told = page.locator(".code-answer")
    click(page, 9)
    at(page, 9, 1)
    click(page, 9)
    at(page, 9, 2)
    click(page, 12)
    expect(told).to_have_text("Line 12 never ran in this recording.")
    at(page, 9, 2)
    click(page, 9)
    at(page, 9, 3)
    expect(told).to_have_text("")
    click(page, 9)
    expect(told).to_contain_text("has no later step")
    at(page, 9, 1)
    page.keyboard.press("N")
    expect(told).to_contain_text("has no earlier step")
    at(page, 9, 3)
    page.keyboard.press("n")
    at(page, 9, 1)
    expect(page.locator(".code-pane.replay")).to_have_count(1)
    assert violations(page) == []


def test_breakpoints_stay_with_their_program(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    page.keyboard.press("c")
    expect(page.locator(".code-answer")).to_contain_text("No breakpoints yet")
    page.locator(".cm-lineNumbers .cm-gutterElement", has_text=re.compile("^4$")).click()
    expect(page.locator(".breakpoint")).to_have_count(1)
    expect(page.locator(".code-answer")).to_contain_text("Breakpoint on line 4")
    for round_ in (1, 2, 3):
        page.keyboard.press("c")
        at(page, 4, round_)
    page.keyboard.press("c")
    expect(page.locator(".code-answer")).to_have_text("No breakpoint after this step.")
    page.get_by_role("button", name="Previous breakpoint").click()
    at(page, 4, 2)
    assert violations(page) == []
    page.keyboard.press("x")
    expect(page.locator(".breakpoint")).to_have_count(0)
    page.keyboard.press("x")
    tutor.edit()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# one line more\n")
    tutor.run()
    expect(page.locator(".breakpoint")).to_have_count(1)
    page.keyboard.press("c")
    at(page, 5, 1)
    page.reload()
    tutor.wait()
    expect(page.locator(".breakpoint")).to_have_count(1)


def test_stored_breakpoints_may_be_anything(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    for found in ("{", "3", '[{"source": 1, "lines": [1]}, null, {"source": "x", "lines": ["a", -1]}]'):
        tutor.page.evaluate("(text) => sessionStorage.setItem('stepgrad.breakpoints', text)", found)
        tutor.open()
        tutor.write(SOURCE)
        tutor.run()
        expect(tutor.page.locator(".breakpoint")).to_have_count(0)


def test_a_name_shows_its_value_of_the_step(visit: Visit) -> None:
    page = opened(visit).page
    click(page, 4)
    at(page, 4, 1)
    panel = page.locator(".peek")
    letter = page.evaluate(WIDTH)
    line(page, 4).hover(position={"x": 6 + 4.5 * letter, "y": 8})
    expect(panel).to_contain_text(re.compile(r"^b \(2,\) · f32 · S\d+ · v0 · \[0\., 0\.\]$"))
    line(page, 9).hover(position={"x": 6 + 4.5 * letter, "y": 8})
    expect(panel).to_have_text("y has no value at this step")
    page.keyboard.press("End")
    line(page, 4).hover(position={"x": 6 + 4.5 * letter, "y": 8})
    expect(panel).to_have_text("b belongs to a call that is not active at this step")
    page.locator(".header .logo").hover()
    expect(panel).to_be_hidden()
    page.locator(".cm-content").focus()
    page.keyboard.press("Home")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".line-chosen")).to_contain_text("w = torch.tensor")
    expect(panel).to_contain_text("w has no value at this step")
    expect(page.locator(".code-pane p[aria-live=polite]")).to_contain_text("w: has no value at this step")
    page.keyboard.press("n")
    at(page, 7)
    expect(panel).to_contain_text("w (2,) · f32 · S0 · v0 · [1., 2.]")
    expect(page.locator(".code-pane p[aria-live=polite]")).to_contain_text("line 7")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


WIDTH = """() => {
    const line = document.querySelector('.code-pane .editor').shadowRoot.querySelectorAll('.cm-line')[12];
    const range = document.createRange();
    range.selectNodeContents(line);
    return range.getBoundingClientRect().width / line.textContent.length;
}"""


def test_only_what_asks_for_it_edits_and_the_recording_stays_one_key_away(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    code = page.locator(".cm-content")
    page.keyboard.press("End")
    expect(code).to_be_focused()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("textbox", name="Link", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Share")).to_be_focused()
    for key in ("Escape", "a", "z", "Delete"):
        page.keyboard.press(key)
    at(page, 13)
    expect(code).to_have_attribute("contenteditable", "false")
    code.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(code).to_have_attribute("contenteditable", "true")
    page.keyboard.type("# ")
    expect(line(page, 12)).to_contain_text("#     print")
    page.keyboard.press("F2")
    expect(code).to_have_attribute("contenteditable", "false")
    expect(code).not_to_contain_text("#")
    expect(page.locator(".code-foot")).to_contain_text("Your changes are in the editor")
    expect(code).to_be_focused()
    at(page, 13)
    line(page, 10).dblclick(position={"x": 60, "y": 8})
    expect(code).to_have_attribute("contenteditable", "true")
    at(page, 13)
    expect(code).to_contain_text("#     print")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    expect(code).to_have_attribute("contenteditable", "true")
    page.get_by_role("button", name="Show the last recording").click()
    at(page, 13)
    expect(code).to_have_attribute("contenteditable", "false")


@pytest.mark.parametrize(
    ("text", "told"),
    [("# only\n\n# words\n", "Nothing ran"), ("import torch\nx = (1,\n", "Line 2 is not valid Python: '(' was never closed")],
)
def test_what_cannot_run_stays_in_the_editor_with_its_mark(visit: Visit, text: str, told: str) -> None:
    tutor = opened(visit)
    page = tutor.page
    page.keyboard.press("End")
    tutor.edit()
    tutor.write(text)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".fault")).to_contain_text(told)
    expect(page.locator(".cm-content")).to_be_focused()
    expect(page.locator(".sign.flag")).to_have_count(1 if "Line 2" in told else 0)
    assert violations(page) == []
    page.keyboard.press("F2")
    at(page, 13)
    page.keyboard.press("F2")
    expect(page.locator(".fault")).to_contain_text(told)
    page.keyboard.type("y = 1")
    expect(page.locator(".fault")).to_have_count(0)


NOTED = """(line) => {
    const below = getComputedStyle(line, '::after');
    return [below.content, below.display, line.getBoundingClientRect().height];
}"""


@pytest.mark.parametrize("is_live", [False, True])
def test_a_syntax_error_stands_below_its_line_and_is_announced_once(visit: Visit, is_live: bool) -> None:
    tutor = visit(viewport={"width": 390, "height": 844})
    page = tutor.page
    tutor.open("/")
    tutor.write("import torch\nx = (1,\ny = 2\n")
    if is_live:
        page.locator(".code-pane .live").click()
    else:
        page.keyboard.press("Control+Enter")
    line = page.locator(".cm-line").nth(1)
    expect(line).to_have_attribute("data-note", "SyntaxError: '(' was never closed")
    content, display, height = line.evaluate(NOTED)
    plain = page.locator(".cm-line").nth(2).evaluate("(line) => line.getBoundingClientRect().height")
    assert "was never closed" in content and display == "block" and height > 1.8 * plain
    expect(page.locator(".fault")).to_have_count(0 if is_live else 1)
    spoken = page.locator(":is([role=alert], [role=status])").filter(has_text="is not valid Python")
    expect(spoken).to_have_count(1)
    expect(page.locator(".badge")).to_have_count(0)
    assert violations(page) == []
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("z")
    expect(page.locator("[data-note]")).to_have_count(0)


def test_a_tap_steps_and_does_not_edit(visit: Visit) -> None:
    page = opened(visit, has_touch=True).page
    for round_ in (1, 2):
        line(page, 9).tap(position={"x": 12, "y": 8})
        at(page, 9, round_)
    expect(page.locator(".code-pane.replay")).to_have_count(1)


def test_a_printed_address_lights_what_it_belongs_to(visit: Visit) -> None:
    page = opened(visit).page
    page.keyboard.press("End")
    address = page.locator(".output .address")
    expect(address).to_have_count(2)
    expect(address.first).to_have_accessible_name(re.compile(r"^\d+ is w\.data_ptr\(\), the first byte of storage S0\.$"))
    expect(address.last).to_have_accessible_name(re.compile(r"^0x[0-9a-f]+ is id\(w\), the id of the Python object\.$"))
    expect(page.locator(".story")).to_contain_text("is w.data_ptr(), the first byte of storage S0.")
    address.first.hover()
    expect(page.locator('.memory [data-storage="0"].highlighted')).to_have_count(1)
    address.last.click()
    expect(page.locator(".about-selection")).to_contain_text(
        re.compile(r"data_ptr\(\) is \d+ \(0x[0-9a-f]+\), the first byte of S0\.")
    )
    number = address.first.inner_text()
    expect(page.locator(".about-selection")).to_contain_text(number)
    assert violations(page) == []
    page.keyboard.press("t")
    expect(page.locator(".memory-pane .outline")).to_contain_text(f"data_ptr() is {number}")
