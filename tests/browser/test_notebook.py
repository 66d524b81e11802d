"""Recordings in the output of notebook cells: each cell has an iframe with the player, and a picture in case iframes are
removed.
"""

import html
import re
from urllib.parse import unquote
from xml.etree.ElementTree import fromstring

import msgspec
import pytest
import torch
from playwright.sync_api import Browser, expect
from torch import nn

from app.explain import explain
from app.public import stepgrad
from tests.browser.page import SCREENSHOTS, Tutor

MOST_BYTES = 510_000
"""The maximum size in bytes of the output of a cell, without the recording."""

EVIL = "'></iframe><img src=x onerror='window.owned = 1'>\"</script>&quot;#%3Cscript%3E"

AS_SITES_SHOW_IT = "() => document.querySelectorAll('iframe').forEach((frame) => frame.remove())"
"""Removes all iframes, as some sites do when they show notebooks."""


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


def training(layers: int) -> stepgrad.Recorded:
    torch.manual_seed(0)  # with other random weights, gradients may be zero, which would change the summary
    with stepgrad.record() as recording:
        model = nn.Sequential(*(layer for _ in range(layers) for layer in (nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))))
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            model(torch.ones(2, 3)).pow(2).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    return recording


def size_of(cell: str, recording: stepgrad.Recorded) -> int:
    """Return the size in bytes of a cell's output, without the recording."""
    recorded = msgspec.json.encode(explain(recording.trace)).decode().replace("<", "\\u003c")
    recorded = recorded.replace("&", "&amp;").replace("'", "&#39;")
    assert recorded in cell
    return len(cell.encode()) - len(recorded.encode())


def test_three_cells_show_three_players_that_step_by_themselves(browser: Browser) -> None:
    wrong, right = recordings()
    cells = [each._repr_html_() for each in (wrong, right, training(1))]
    tutor = Tutor(browser, "")
    page = tutor.page
    page.set_content("".join(f"<div class='cell'>{cell}</div>" for cell in cells))
    tutor.context.set_offline(True)
    for number, found in enumerate(["silently wrong", "nothing to warn about", "nothing to warn about"]):
        player = page.frame_locator("iframe").nth(number)
        expect(player.locator(".summary")).to_contain_text(found)
        before = player.locator(".position").inner_text()
        player.locator(".transport .next").click()
        expect(player.locator(".position")).not_to_have_text(before)
        expect(player.locator(".picture [data-tensor]").first).to_be_attached()
        shown = page.evaluate(
            "(number) => document.querySelectorAll('iframe')[number].getBoundingClientRect().toJSON()", number
        )
        behind = page.locator(".cell").nth(number).locator("img").bounding_box()
        assert behind is not None and shown["top"] <= behind["y"], "the player lies over the picture"
        assert behind["y"] + behind["height"] <= shown["bottom"] and behind["width"] <= shown["width"]
    assert page.evaluate("typeof window.stepgrad") == "undefined"
    assert tutor.complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_no_frame_is_shown_there_are_text_and_a_picture(browser: Browser, theme: str) -> None:
    wrong, _ = recordings()
    tutor = Tutor(browser, "", java_script_enabled=theme == "light", color_scheme=theme)
    page = tutor.page
    cell = wrong._repr_html_()
    page.set_content(cell if theme == "light" else re.sub(r"<iframe.*?</iframe>", "", cell, flags=re.DOTALL))
    if theme == "light":
        page.evaluate(AS_SITES_SHOW_IT)
    expect(page.locator("p")).to_have_text(re.compile(r"^<Recorded: \d+ steps, finished; line \d+: silently_wrong_gradient>$"))
    picture = page.locator("img")
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None and box["width"] > 400 and box["height"] > 200
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"notebook-still-{theme}.png")
    tutor.context.close()


def test_the_picture_shows_what_the_last_step_shows() -> None:
    wrong, _ = recordings()
    found = re.search(r'<img [^>]*src="data:image/svg\+xml,([^"]*)"', wrong._repr_html_())
    assert found is not None
    root = fromstring(unquote(found[1]))
    texts = {text for element in root.iter() if (text := element.text)}
    assert {"AccumulateGrad", "MulBackward0", "SumBackward0", "x", "y", "stride (1,) +0"} <= texts


@pytest.mark.parametrize("layers", [0, 1, 4])
def test_a_cell_is_small_and_all_else_is_in_its_frame(layers: int) -> None:
    recording = training(layers) if layers else recordings()[0]
    cell = recording._repr_html_()
    assert size_of(cell, recording) <= MOST_BYTES
    assert re.findall(r"<(/?\w+)", cell) == ["div", "p", "/p", "img", "iframe", "/iframe", "/div"]
    assert html.escape(repr(recording)) in cell


def test_a_hostile_name_is_text_in_the_cell(browser: Browser) -> None:
    with stepgrad.record() as recording:
        held = {EVIL: torch.ones(2, requires_grad=True)}
        (held[EVIL] * 2).sum().backward()  # type: ignore[no-untyped-call]
        print(EVIL)
    cell = recording._repr_html_()
    assert re.findall(r"<(/?\w+)", cell) == ["div", "p", "/p", "img", "iframe", "/iframe", "/div"]
    tutor = Tutor(browser, "")
    tutor.page.set_content(cell)
    expect(tutor.page.frame_locator("iframe").locator(".timeline")).to_be_visible()
    assert [frame.evaluate("window.owned") for frame in tutor.page.frames] == [None, None]
    assert tutor.page.locator("img").count() == 1 and tutor.complaints == []
    tutor.context.close()


def test_what_leaves_no_room_for_a_picture_says_so() -> None:
    with stepgrad.record() as recording:
        held = {f"number {number}": torch.randn(6, 8, requires_grad=True) for number in range(150)}
        y = torch.cat(list(held.values()))
        eval(f"y{'.cos()' * 20}", {"y": y}).sum().backward()
    cell = recording._repr_html_()
    assert size_of(cell, recording) <= MOST_BYTES
    why = r"There is no picture of the last step: it has \d+ KB, but only \d+ KB of the cell are left\."
    assert re.search(why, cell) and "<img" not in cell


def test_where_nothing_can_be_drawn_the_cell_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong, _ = recordings()
    monkeypatch.setenv("PATH", "/nonexistent")
    cell = wrong._repr_html_()
    assert "There is no picture of the last step: " in cell and "bubblewrap is not installed" in cell
    assert "<img" not in cell and cell.count("<iframe") == 1
