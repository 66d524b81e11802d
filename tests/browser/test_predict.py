"""Predict values: the visitor answers by mouse or keyboard and then sees torch's result, which is not in the page before."""

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

SNIPPET = """\
import torch
x = torch.tensor([1.7, 2.9], requires_grad=True)
y = x.exp()
n = y.detach()
n.mul_(3.1)
s = y.sum()
s.backward()
"""
ALL_TEXT = """() => [document.body.textContent, ...[...document.querySelectorAll('*')].flatMap((element) =>
    [...element.attributes].filter(({name}) => /^(aria-|title$|alt$|value$|data-)/.test(name)).map(({value}) => value)),
    ...[...document.querySelectorAll('input, select')].map((element) => element.value)].join('\\n')"""


def asking(visit: Visit, step: int, source: str = SNIPPET) -> Tutor:
    """Run the snippet in predict mode, and open the question about the step after `step`."""
    tutor = visit(reduced_motion="reduce")
    tutor.page.add_init_script("localStorage.setItem('stepgrad.predict', 'on')")
    tutor.open()
    tutor.write(source)
    tutor.run()
    tutor.page.locator(".slider").fill(str(step))
    tutor.at_step(step)
    ask(tutor.page)
    return tutor


def ask(page: Page) -> None:
    page.locator("body").press("ArrowRight")
    expect(page.locator(".asked")).to_be_visible()


def until_asked(page: Page, words: str) -> None:
    """Open questions until one contains these words."""
    for _ in range(8):
        if words in page.locator(".asked").inner_text():
            return
        page.get_by_role("button", name="Another question").click()
    expect(page.locator(".asked")).to_contain_text(words)


def test_a_typed_number_is_judged_by_what_torch_made_and_is_nowhere_before(visit: Visit) -> None:
    tutor = asking(visit, 2)
    page = tutor.page
    until_asked(page, "first element of y")
    for seen in (page.evaluate(ALL_TEXT), page.locator("body").aria_snapshot()):
        assert "5.47" not in seen and "ExpBackward" not in seen
    field = page.get_by_role("textbox", name="What will the first element of y be?")
    field.fill("five")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".position b")).to_have_text("Step 2")
    assert violations(page) == []
    field.fill("5.4739")
    field.press("Enter")
    expect(page.locator(".answer-result.right")).to_contain_text("Right: 5.4739")
    expect(page.locator(".position b")).to_have_text("Step 3")
    expect(page.locator(".app > [role=status].visually-hidden")).to_contain_text("Right: 5.4739")
    expect(page.locator(".story")).to_be_focused()
    assert violations(page) == []


def test_a_counter_a_cell_a_node_and_a_line_are_answered_by_a_click(visit: Visit) -> None:
    tutor = asking(visit, 4)
    page = tutor.page
    until_asked(page, "version counter")
    page.locator(".memory .tensor").first.click()
    chosen = page.get_by_role("combobox", name="Which version counter will go up?")
    expect(chosen.locator("option:checked")).to_have_text("x")
    expect(page.get_by_role("button", name="Answer", exact=True)).to_be_focused()
    chosen.select_option(label="y, n")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator(".answer-result.right")).to_contain_text("the counter of y, n")
    page.locator("body").press("ArrowLeft")
    expect(page.locator(".answer-result")).to_have_count(0)
    ask(page)
    until_asked(page, "cell")
    page.locator(".memory [data-storage='1'] [data-cell='1']").click()
    expect(page.get_by_role("textbox", name="Which cell will change its value?")).to_have_value("S1[1]")
    page.keyboard.press("Enter")
    expect(page.locator(".answer-result.right")).to_contain_text("S1[1]")
    page.locator(".slider").fill("6")
    tutor.at_step(6)
    ask(page)
    until_asked(page, "Which Node")
    for seen in (page.locator(".question").inner_text(), page.locator(".app > [role=status].visually-hidden").text_content()):
        assert "runs next, in the backward" in str(seen) and "SumBackward0 runs" not in str(seen)
    page.locator(".graph [data-node='0']").first.click()
    page.keyboard.press("Enter")
    expect(page.locator(".answer-result.not-right")).to_contain_text("the correct answer is SumBackward0")
    expect(page.locator(".position b")).to_have_text("Step 7")


def test_the_line_that_overwrote_is_clicked_in_the_code_and_is_not_marked_before(visit: Visit) -> None:
    tutor = asking(visit, 7)
    page = tutor.page
    until_asked(page, "Which line overwrote")
    expect(page.locator(".timeline .flag, .finding, .cm-editor .sign.flag")).to_have_count(0)
    page.locator(".cm-line", has_text="n.mul_").click()
    expect(page.get_by_role("combobox").locator("option:checked")).to_have_text("line 5")
    expect(page.locator(".position b")).to_have_text("Step 7")
    page.keyboard.press("Enter")
    expect(page.locator(".answer-result.right")).to_contain_text("line 5")


def test_no_gradient_is_an_answer_and_a_clicker_goes_past_a_question(visit: Visit) -> None:
    tutor = asking(visit, 7, SNIPPET.replace("n.mul_(3.1)\n", ""))
    page = tutor.page
    until_asked(page, "x.grad")
    page.get_by_role("button", name="No gradient (None)").click()
    expect(page.locator(".answer-result.not-right")).to_contain_text("5.4739")
    page.locator("body").press("ArrowLeft")
    ask(page)
    page.locator("body").press("ArrowRight")
    expect(page.locator(".position b")).to_have_text("Step 8")
    expect(page.locator(".answer-result")).to_have_count(0)
