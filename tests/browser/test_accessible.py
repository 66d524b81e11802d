"""Accessibility of the page: axe-core finds no violation, and all controls can be reached with the keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_runs import ENDLESS

SNIPPET = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w ** 2).sum() * 1
loss.backward()
"""


@pytest.mark.sweep
@by_look()
@pytest.mark.parametrize("lesson", ["data-hides-the-write", "detach-tells-on-the-write", "clone-adds-up"])
def test_first_middle_and_last_step_have_no_violation(visit: Visit, look: Look, lesson: str) -> None:
    tutor = visit(**look)
    tutor.open(f"/lessons/{lesson}#step=1")
    tutor.wait()
    page = tutor.page
    assert violations(page) == []
    slider = page.locator(".slider")
    count = int(slider.get_attribute("max") or 0)
    for number in (count // 2, count):
        slider.fill(str(number))
        expect(page.locator(".position b")).to_contain_text(str(number))
        assert violations(page) == []


@pytest.mark.sweep
@by_look()
def test_an_open_warning_and_the_help_have_no_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tutor.open("/lessons/data-hides-the-write#step=1")
    tutor.wait()
    page = tutor.page
    page.keyboard.press("w")
    expect(page.locator("details.finding[open]")).to_be_visible()
    assert violations(page) == []
    page.locator(".header > button:last-child").click()
    expect(page.locator("dialog.help")).to_be_visible()
    assert violations(page) == []


@pytest.mark.sweep
@by_look()
def test_the_start_has_no_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tutor.open("/")
    assert violations(tutor.page) == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    "look", [{"locale": "en-US"}, {"color_scheme": "dark", "locale": "zh-CN"}, {"forced_colors": "active"}]
)
def test_what_opens_over_the_page_has_no_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    page.locator("[popovertarget=display]").click()
    expect(page.locator("#display")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("body").press("t")
    expect(page.locator(".outline:not(.visually-hidden)")).to_have_count(2)
    assert violations(page) == []
    page.locator("body").press("t")
    expect(page.locator(".outline:not(.visually-hidden)")).to_have_count(0)
    page.locator(".graph-pane .maximise").click()
    expect(page.locator(".main .pane:visible")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("[data-name]").first.click()
    expect(page.locator(".changes-bar")).to_be_visible()
    assert violations(page) == []
    for address in ("/lessons", "/no-such-page"):
        page.goto(tutor.url + address)
        expect(page.locator("h1")).to_be_visible()
        assert violations(page) == []
    tutor.expect_no_complaint_but("404")


MODEL = """\
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
loss = 0
for _ in range(8):
    loss = loss + model(torch.ones(2, 4)).sum()
loss.backward()
"""
WRONG = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ny.sum().backward()\n"
LOOKS = [
    {"viewport": {"width": width, "height": height}, "color_scheme": theme, "locale": locale}
    for (width, height), theme, locale in (
        ((1440, 900), "light", "en-US"),
        ((390, 844), "dark", "zh-CN"),
    )
]


def run_by_key(tutor: Tutor, source: str) -> None:
    """Write a snippet, run it with Ctrl+Enter, and go to its last step, in any language of the page."""
    tutor.write(source)
    tutor.page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    tutor.page.locator("body").press("End")


def looking(page: Page) -> tuple[list[str], Callable[[str, str], None]]:
    """Return an empty list, and a function that appends the violations of a page's state.

    The function waits until an element matches `selector`, which shows that the page is in this state.
    """
    found: list[str] = []

    def look_at(state: str, selector: str) -> None:
        expect(page.locator(selector).first).to_be_visible()
        found.extend(f"{state}: {violation}" for violation in violations(page))

    return found, look_at


@pytest.mark.sweep
@pytest.mark.parametrize("look", LOOKS, ids=name_of)
def test_no_state_of_a_run_has_a_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    found, look_at = looking(page)
    tutor.open("/")
    tutor.write("import torch\nx = (1\n")
    page.keyboard.press("Control+Enter")
    look_at("a syntax error", ".fault")
    run_by_key(tutor, WRONG)
    tutor.show("story")
    look_at("a run that raised, its finding open", ".finding[open] .fix.works")
    page.locator(".header .share").click()
    page.locator(".sharing-qr summary").click()
    page.locator(".sharing-own summary").click()
    look_at("a link shared", ".sharing-own a")
    for way, there in (("class", ".way .button"), ("embed", ".sharing-frame"), ("file", ".way a")):
        page.locator(f"#way-{way}").click()
        look_at(f"sharing: {way}", there)
    page.keyboard.press("Escape")
    page.locator(".finding[open] .fix.works .button").first.click()
    look_at("a fix compared", ".verdict.of-right .well")
    page.locator("body").press("ArrowRight")
    look_at("a step of a comparison", ".differences")
    page.locator("body").press("t")
    look_at("a comparison as text", ".side .outline:not(.visually-hidden)")
    page.locator("body").press("t")
    page.locator(".header .back").click()
    page.locator("body").press("F2")
    run_by_key(tutor, MODEL)
    tutor.show("graph")
    page.locator("body").press("/")
    page.locator(".graph-search input").fill("relu")
    page.locator(".graph-search input").press("Enter")
    look_at("a search", ".search-count:not(:empty)")
    page.locator(".graph-search input").fill("nothing")
    look_at("a search without results", ".search-count:not(:empty)")
    page.keyboard.press("Escape")
    page.locator(".graph [data-box]").first.dispatch_event("click")
    look_at("the card of a Node", ".node-card")
    page.locator(".node-card .button").click()
    page.locator("[popovertarget=folds]").click()
    look_at("the menu of groups", "#folds")
    page.locator("#folds .display-row").last.click()
    page.keyboard.press("Escape")
    look_at("every group open", ".graph-pane .folds .more")
    tutor.show("memory")
    look_at("folded storages", ".memory-pane .folds")
    page.locator(".memory-pane .folds button").last.click()
    look_at("storages opened by a level", ".memory-pane .folds button:first-child:not([aria-disabled])")
    page.locator("body").press("?")
    look_at("the help", "dialog.help[open]")
    page.keyboard.press("Escape")
    assert found == []


@pytest.mark.sweep
@pytest.mark.parametrize("look", [*LOOKS, {**LOOKS[0], "color_scheme": "dark", "locale": "zh-CN"}], ids=name_of)
def test_neither_predicting_nor_presenting_has_a_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    found, look_at = looking(page)
    page.add_init_script("localStorage.setItem('stepgrad.predict', 'on')")
    tutor.open("/lessons/data-hides-the-write")
    look_at("a lesson", ".ask")
    page.locator("body").press("Control+Enter")
    tutor.wait()
    page.locator("body").press("Home")
    tutor.show("story")
    page.locator(".transport .next").click()
    look_at("a question", ".asked")
    page.locator(".answer-form button.button").first.click()
    look_at("an answer that is none", ".answer-hint.refused")
    page.locator(".answer-form select").select_option(index=1)
    page.locator(".answer-form button.button").first.click()
    look_at("an answer", ".answer-result")
    page.evaluate("() => localStorage.setItem('stepgrad.predict', 'off')")
    tutor.open("/lessons/data-hides-the-write#step=8")
    page.reload()
    tutor.wait()
    if look["viewport"]["width"] < 500:  # presenter mode is not available on a phone
        expect(page.locator(".present")).to_be_hidden()
        expect(page.locator(".note-button:visible")).to_have_count(0)
        assert found == []
        return
    page.locator("body").press("p")
    look_at("presenter mode", ".leave")
    page.locator("body").press("o")
    look_at("a note", ".note textarea")
    page.keyboard.press("Escape")
    page.locator("body").press("d")
    page.mouse.move(200, 300)
    look_at("the dot", ".dot")
    page.locator("body").press("b")
    look_at("a blank screen", "html[data-blank]")
    page.locator("body").press("b")
    page.locator("body").press("t")
    look_at("presenter mode as text", ".outline:not(.visually-hidden)")
    page.locator("body").press("t")
    page.evaluate("() => localStorage.setItem('stepgrad.predict', 'on')")
    page.reload()
    tutor.wait()
    page.locator("body").press("PageDown")
    look_at("a question to a hall", ".asked")
    assert found == []


def begin(tutor: Tutor) -> None:
    """Start an endless program with Ctrl+Enter, which works in any language of the page."""
    tutor.open("/")
    tutor.write(ENDLESS)
    tutor.page.keyboard.press("Control+Enter")


@pytest.mark.sweep
@by_look()
def test_running_waiting_refused_and_stopped_have_no_violation(visit: Visit, look: Look) -> None:
    first = visit(**look)
    second, third = first.another_tab(), first.another_tab()
    begin(first)
    expect(first.page.locator(".notice .count")).not_to_be_empty()
    assert violations(first.page) == []
    begin(second)
    expect(second.page.locator(".notice.progress")).to_be_visible()
    assert violations(second.page) == []
    begin(third)
    expect(third.page.get_by_role("alert")).to_be_visible()
    assert violations(third.page) == []
    second.front().keyboard.press("Escape")
    expect(second.page.locator(".notice:not(.progress)")).to_be_visible()
    assert violations(second.page) == []
    first.front().keyboard.press("Escape")
    expect(first.page.locator(".end.stopped")).to_be_visible()
    assert violations(first.page) == []
    first.expect_no_complaint_but("429")


def test_from_a_paste_to_the_end_of_backward_by_keys_alone(visit: Visit) -> None:
    tutor = visit()
    tutor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tutor.open("/")
    page = tutor.page
    page.evaluate("text => navigator.clipboard.writeText(text)", SNIPPET)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for name in ("Examples", "Live"):
        expect(page.locator(".code-pane").get_by_role("button", name=name)).to_be_focused()
        page.keyboard.press("Tab")
    expect(page.locator(".code-pane").get_by_role("button", name="Run")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")
    expect(page.locator(".cm-content")).to_contain_text("loss.backward()")
    page.keyboard.press("Control+Enter")
    tutor.wait()
    tutor.to_start()
    seen = []
    while "Backward is complete" not in (page.locator(".story").text_content() or ""):
        seen.append(page.locator(".app > [role=status].visually-hidden").inner_text())
        assert len(seen) < 30, seen
        page.keyboard.press("ArrowRight")
        expect(page.locator(".position b")).to_have_text(f"Step {len(seen) + 1}")
    heard = " ".join(seen)
    for words in ("w is a new tensor", "PowBackward0 of line 3 received the gradient [1., 1.]", "AccumulateGrad of w received"):
        assert words in heard, heard
    assert tutor.cells("w.grad") == ["2.", "4."]
