"""Use the page with the keyboard alone. The focused element is always visible and has a name; Escape never closes a run."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.keyboard import Keys
from tests.browser.page import Tutor

OVERWRITTEN = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.mul_(2)
y.sum().backward()
"""
MOST_PRESSES = 30
"""How often a key may be pressed to reach an element."""
MODEL = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
loss = 0
for _ in range(3):
    loss = loss + model(torch.ones(2, 4)).sum()
flat = loss.view(-1)
loss.backward()
"""


def typed(visit: Visit, source: str) -> tuple[Tutor, Keys]:
    """Open a page, enter a snippet, and run it, all with the keyboard."""
    tutor = visit()
    tutor.open("/")
    keys = Keys(tutor)
    editor = tutor.page.locator(".cm-content")
    expect(editor).to_have_attribute("contenteditable", "true")
    keys.to(editor)
    keys.press("Control+a", "Delete")  # replacing selected text would set an inline style, which is forbidden
    tutor.page.keyboard.insert_text(source)  # inserts the text at once, because the editor indents typed lines
    keys.press("Control+Enter")
    tutor.wait_for_new()
    expect(editor).to_be_focused()
    return tutor, keys


def escape(page: Page, keys: Keys) -> None:
    """Press Escape, and assert that the page still shows the same run and step."""
    shown = page.locator(".position b").inner_text(), page.locator(".code-pane").first.get_attribute("class")
    keys.press("Escape")
    assert shown == (page.locator(".position b").inner_text(), page.locator(".code-pane").first.get_attribute("class"))


def test_a_run_its_finding_the_line_to_blame_the_fix_and_back(visit: Visit) -> None:
    tutor, keys = typed(visit, OVERWRITTEN)
    page = tutor.page
    keys.press("w")
    finding = page.locator(".finding[open]").first
    expect(finding).to_be_visible()
    keys.press("F6")
    expect(page.locator(".story")).to_be_focused()
    keys.to(finding.locator(".finding-steps .link", has_text="line 4"))
    keys.press("Enter")
    expect(page.locator(".position-line")).to_have_text("line 4")
    escape(page, keys)
    fix = page.locator(".finding[open] .fix.works .button").first
    keys.to(fix)
    keys.press("Enter")
    undo = page.locator(".undo-fix")
    expect(page.locator(".keep-fix")).to_be_focused()
    expect(page.locator(".verdict.of-right .well")).to_be_visible()
    keys.press("ArrowRight", "ArrowLeft")
    escape(page, keys)
    keys.to(page.locator(".slider"))
    keys.to(undo, "Shift+Tab")
    keys.press("Enter")
    tutor.wait_for_new()
    expect(fix).to_be_focused()
    expect(page.locator(".cm-content")).to_contain_text("y.mul_(2)")
    keys.press("F2")
    expect(page.locator(".cm-content")).to_be_focused()
    escape(page, keys)
    expect(page.locator(".code-pane .run")).to_be_focused()
    keys.to(page.locator(".code-pane .to-recording"), "Shift+Tab")
    keys.press("Enter")
    expect(page.locator(".code-pane.replay")).to_have_count(1)
    keys.to(page.locator(".header .compare, .header .compare-with-button"), "Shift+Tab")


def test_a_node_searched_its_edges_its_card_and_back(visit: Visit) -> None:
    tutor, keys = typed(visit, MODEL)
    page = tutor.page
    keys.press("End")
    picture, said = page.locator(".graph-pane .picture"), page.locator(".graph-pane > [role=status]")
    keys.press("/")
    field = page.locator(".graph-search input")
    expect(field).to_be_focused()
    page.keyboard.type("relu")
    expect(page.locator(".search-count")).to_have_text("3 · Enter: first")
    keys.press("Enter")
    expect(page.locator(".search-count")).to_have_text("1 of 3")
    expect(said).to_have_text(re.compile("^ReluBackward0"))
    escape(page, keys)
    expect(picture).to_be_focused()
    keys.press("ArrowDown")
    expect(said).to_have_text(re.compile("^AddmmBackward0"))
    keys.press("ArrowUp", "Enter")
    card = page.locator(".node-card")
    expect(card).to_be_visible()
    keys.to(card.locator(".button"))
    keys.press("Enter")
    expect(card).to_have_count(0)
    expect(picture).to_be_focused()
    escape(page, keys)
    expect(said).to_be_empty()


def test_a_group_folded_and_a_storage_with_who_shares_it(visit: Visit) -> None:
    tutor, keys = typed(visit, MODEL.replace("range(3)", "range(12)"))
    page = tutor.page
    page.set_viewport_size({"width": 1920, "height": 1080})  # in this width, the fold buttons are in the header
    keys.press("End")
    memory, said = page.locator(".memory-pane .picture"), page.locator(".graph-pane > [role=status]")
    keys.press("/")
    page.keyboard.type("relu")
    keys.press("Enter", "Escape")
    expect(said).to_have_text(re.compile("^ReluBackward0"))
    for key, told in (("e", "Folded: "), ("Enter", "recorded on line")):
        keys.press(key)
        expect(said).to_have_text(re.compile(told))
    level = page.get_by_role("group", name="Groups of Nodes").get_by_role("button")
    keys.to(level.first, "Shift+Tab")
    for _ in range(MOST_PRESSES):
        if level.first.is_enabled():
            keys.press("Enter")
    expect(level.first).to_be_disabled()
    expect(level.first).to_be_focused()
    keys.to(memory)
    selected = page.locator(".about-selection")
    keys.press("ArrowDown", "ArrowDown", "ArrowRight")
    expect(page.locator(".changes-bar .subject")).to_be_visible()
    for _ in range(MOST_PRESSES):
        if page.locator(".changes-bar .subject.storage").count() == 0:
            keys.press("ArrowRight")
    expect(page.locator(".changes-bar .subject.storage")).to_be_visible()
    expect(selected).to_be_visible()
    keys.to(page.locator(".changes-bar .button").last, "Shift+Tab")
    keys.press("Enter")
    expect(memory).to_be_focused()


def test_a_link_is_shared_copied_and_closed(visit: Visit) -> None:
    tutor, keys = typed(visit, OVERWRITTEN)
    page = tutor.page
    share, dialog = page.locator(".header .share"), page.get_by_role("dialog")
    for leave in ("Escape", "Enter"):
        keys.to(share, "Shift+Tab")
        keys.press("Enter")
        expect(page.get_by_role("textbox", name="Link", exact=True)).to_be_focused()
        keys.stands()
        assert page.evaluate("() => getSelection().toString()").startswith(tutor.url)
        keys.press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab")
        if leave == "Enter":
            keys.to(dialog.get_by_role("button", name="Close"))
        keys.press(leave)
        expect(dialog).to_have_count(0)
        expect(share).to_be_focused()


def test_a_lesson_chosen_predicted_and_left_for_the_next(visit: Visit) -> None:
    tutor = visit()
    page, keys = tutor.page, Keys(tutor)
    tutor.open("/")
    keys.to(page.locator(".picker .button"))
    page.keyboard.press("Enter")
    search = page.locator("#search")
    expect(search).to_be_visible()
    keys.to(search)
    page.keyboard.type("data write")
    keys.press("ArrowDown", "ArrowUp")
    expect(search).to_be_focused()
    keys.press("ArrowDown")
    page.keyboard.press("Enter")
    choices = page.get_by_role("radio")
    expect(choices.first).to_be_visible()
    keys.press("Tab")
    expect(page.locator(".skip").first).to_be_focused()
    keys.press("Enter")
    keys.to(choices.first)
    keys.press("Space", "ArrowDown")
    expect(choices.nth(1)).to_be_checked()
    keys.to(page.get_by_role("button", name="Predict and run"))
    keys.press("Enter")
    tutor.wait_for_new()
    expect(page.locator(".lesson-verdict")).to_be_visible()
    keys.stands()
    keys.to(page.locator(".lesson-verdict .next-lesson"))
    page.keyboard.press("Enter")
    expect(page.locator(".ask")).to_be_visible()
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)


def test_panes_moved_one_alone_and_presenting(visit: Visit) -> None:
    tutor, keys = typed(visit, OVERWRITTEN)
    page = tutor.page
    splitter = page.locator(".splitter.upright").first
    keys.to(splitter)
    width = page.locator(".left").evaluate("(element) => element.offsetWidth")
    keys.press("Shift+ArrowRight")
    page.wait_for_function("(width) => document.querySelector('.left').offsetWidth > width", arg=width)
    for pane in ("graph", "memory"):
        button = page.locator(f".{pane}-pane .maximise")
        keys.to(button)
        keys.press("Enter")
        expect(page.locator(".main .pane:visible")).to_have_count(1)
        keys.press("Tab", "Shift+Tab", "ArrowRight")
        escape(page, keys)
        expect(page.locator(".main[data-only]")).to_have_count(0)
        expect(button).to_be_focused()
    present = page.locator(".header .present")
    keys.to(present, "Shift+Tab")
    keys.press("Enter")
    leave = page.locator(".leave")
    expect(leave).to_be_visible()
    keys.press("Shift+Tab", "Tab", "o")
    expect(page.locator(".note textarea")).to_be_focused()
    escape(page, keys)
    keys.press("o")
    keys.to(leave)
    keys.press("Enter")
    expect(present).to_be_visible()
    keys.press("p")
    expect(leave).to_be_visible()
    escape(page, keys)
    expect(leave).to_have_count(0)


def test_tab_leads_past_everything_once_and_back_to_where_it_began(visit: Visit) -> None:
    tutor, keys = typed(visit, OVERWRITTEN)
    page = tutor.page
    start = page.locator(".cm-content")
    for count in (0, 1):
        expect(page.locator(".stage.as-text")).to_have_count(count)
        keys.press("Tab")
        keys.to(start)
        keys.press("t")
    keys.press("F2")
    keys.press("Tab", "Shift+Tab")  # Tab inserts indentation, and the hint below the editor explains how to leave the editor
    expect(page.locator(".keys-of-editor")).to_be_visible()
    expect(page.locator(".keys-of-editor")).to_contain_text(re.compile("Esc"))
    expect(start).to_be_focused()
    keys.press("Escape")
    expect(page.locator(".code-pane .run")).to_be_focused()
    keys.press("Tab", "Tab", "Tab")
    expect(page.locator(".code-pane:focus-within")).to_have_count(0)
    keys.to(start, "Shift+Tab")
