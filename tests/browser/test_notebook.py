"""Recordings below the cells of a notebook: each is a player in a frame of its own, which reaches nothing around it."""

import html
import re

import msgspec
import torch
from playwright.sync_api import Browser, expect

from app.explain import explain
from app.public import stepgrad
from tests.browser.page import Tutor

MOST_BYTES = 500_000
"""Of a cell's player; what was recorded comes to it."""


def recordings() -> list[stepgrad.Recorded]:
    x = torch.ones(3, requires_grad=True)
    with stepgrad.record() as wrong:
        y = (x * x).sum()
        x.data.mul_(2)
        y.backward()  # type: ignore[no-untyped-call]
    with stepgrad.record() as right:
        w = torch.ones(2, requires_grad=True)
        w.exp().sum().backward()  # type: ignore[no-untyped-call]
    return [wrong, right]


def test_three_cells_show_three_players_that_step_by_themselves(browser: Browser) -> None:
    wrong, right = recordings()
    cells = [wrong._repr_html_(), right._repr_html_(), wrong._repr_html_()]
    tutor = Tutor(browser, "")
    page = tutor.page
    page.set_content("".join(f"<div class='cell'>{cell}</div>" for cell in cells))
    tutor.context.set_offline(True)
    for number, found in enumerate(["silently wrong", "nothing to warn about", "silently wrong"]):
        player = page.frame_locator("iframe").nth(number)
        expect(player.locator(".summary")).to_contain_text(found)
        before = player.locator(".position").inner_text()
        player.locator(".transport .next").click()
        expect(player.locator(".position")).not_to_have_text(before)
        expect(player.locator(".picture [data-tensor]").first).to_be_attached()
    assert page.evaluate("typeof window.stepgrad") == "undefined"


def test_a_cell_is_small_and_says_its_findings_where_no_script_runs() -> None:
    wrong, _ = recordings()
    cell = wrong._repr_html_()
    recorded = html.escape(msgspec.json.encode(explain(wrong.trace)).decode().replace("<", "\\u003c"))
    assert len(cell) - len(recorded) < MOST_BYTES
    assert cell.startswith('<iframe sandbox="allow-scripts" srcdoc="') and cell.count("<") == 2, "all else is in the frame"
    assert re.fullmatch(r"<Recorded: \d+ steps, finished; line \d+: silently_wrong_gradient>", repr(wrong))
