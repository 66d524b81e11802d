"""The values that the code pane shows next to a line are the values that torch computed there."""

import sys
from types import FrameType
from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import FONTS_ARE_HERE, Held, Tutor
from tests.browser.test_long_code import opened

TRAINING = """\
import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
rate = 0.1
for i in range(3):
    loss = (w * torch.tensor([1.0, 2.0, 3.0])).sum()
    loss.backward()
    with torch.no_grad():
        w -= rate * w.grad
    w.grad = None
h = None
big = loss > 100
"""
WRITES = """\
import torch
a = torch.zeros(1)
b = a.view(1, 1)
a += 2
b[0] = 5
n = torch.arange(4)
n = n * 2
half = torch.ones(2, 2, dtype=torch.bfloat16)
total = n.sum().item()
"""
SCOPES = """\
import torch

def scale(x, by):
    y = x * by
    by = by + 1
    return y

x = torch.tensor(3.0)
z = scale(x, 2)
z = scale(z, 5)
"""
MADE = """() => {
    const root = document.querySelector('.code-pane .editor').shadowRoot;
    const lines = [...root.querySelectorAll('.cm-line')].map((line) => line.getBoundingClientRect());
    return [...root.querySelectorAll('.made')].map((made) => {
        const {top, bottom} = made.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        const line = 1 + lines.findIndex((box) => box.top <= middle && middle < box.bottom);
        return [line, made.title.split('\\n'), made.classList.contains('lit')];
    });
}"""


def text_of(value: object) -> str | None:
    """Return the text that the page should show for a value; None for types that it does not show."""
    if isinstance(value, torch.Tensor):
        if value.numel() == 1:
            return str(value.item())
        dtype = {torch.float32: "", torch.int64: " i64", torch.bfloat16: " bf16"}[value.dtype]
        return f"{tuple(value.shape)}{dtype}"
    return repr(value) if value is None or isinstance(value, int | float) else None


def made_by(source: str) -> dict[int, dict[str, str]]:
    """Run a program without a recorder, and return the variables that each line assigned or wrote in its last execution.

    The values are those after the execution of the line. For a tensor whose variable still exists at the end, the returned
    value is the one at the end.
    """
    made: dict[int, dict[str, tuple[object, str]]] = {}
    lines = source.split("\n")
    last: dict[FrameType, int] = {}
    before: dict[FrameType, dict[str, tuple[int, int | None]]] = {}

    def look(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != "snippet":
            return None
        now = {name: (id(value), getattr(value, "_version", None)) for name, value in frame.f_locals.items()}
        if frame in last:
            line = last[frame]
            was = before[frame]
            bound = {name for name in now if name not in was or was[name][0] != now[name][0]}
            written = {name for name in now if name not in bound and was[name] != now[name]}
            new = bound | {name for name in written if name in lines[line - 1]}
            texts = {name: (frame.f_locals[name], text_of(frame.f_locals[name])) for name in new}
            made[line] = {name: (value, text) for name, (value, text) in texts.items() if text is not None}
        last[frame], before[frame] = frame.f_lineno, now
        return look

    names: dict[str, object] = {}
    code = compile(source, "snippet", "exec")
    sys.settrace(look)
    try:
        exec(code, names)
    finally:
        sys.settrace(None)
    return {
        line: {
            name: (text_of(value) or "") if isinstance(value, torch.Tensor) and names.get(name) is value else text
            for name, (value, text) in there.items()
        }
        for line, there in made.items()
        if there
    }


def shown(page: Page) -> dict[int, dict[str, str]]:
    """Return the values that the page shows next to each line."""
    made = page.evaluate(MADE)
    return {line: dict(text.split(" ", 1) for text in texts) for line, texts, _ in made}


def is_same(one: str, other: str) -> bool:
    """Whether two strings are the same number, within rounding, or equal."""
    try:
        return float(one) == pytest.approx(float(other), rel=1e-3)
    except ValueError:
        return one == other


@pytest.mark.parametrize("source", [TRAINING, WRITES, SCOPES], ids=["training", "writes", "scopes"])
def test_the_values_are_those_of_torch(visit: Visit, source: str) -> None:
    page = opened(visit, (2400, 1080), source)
    page.locator("body").press("End")
    expect(page.locator(".position-line")).to_contain_text(f"line {source.count(chr(10))}")
    expected = made_by(source)
    page.wait_for_function(f"(count) => ({MADE})().length === count", arg=len(expected))
    found = shown(page)
    assert {line: set(names) for line, names in found.items()} == {line: set(names) for line, names in expected.items()}
    for line, names in expected.items():
        assert all(is_same(found[line][name], text) for name, text in names.items()), (line, found[line], names)


LESSON = "/lessons/data-hides-the-write#step=7"
PLACES = """() => [...document.querySelector('.code-pane .editor').shadowRoot.querySelectorAll('.cm-line')]
    .map((line) => JSON.stringify(line.getBoundingClientRect()))"""


def lesson(visit: Visit, **options: object) -> Tutor:
    tutor = visit(**options)
    tutor.open(LESSON)
    tutor.wait()
    return tutor


def test_what_changed_in_the_step_is_lit_and_no_line_moves(visit: Visit) -> None:
    tutor = lesson(visit, viewport={"width": 1440, "height": 1400})  # the whole code is in sight
    page = tutor.page
    expect(page.locator(".made.lit")).to_have_count(0)
    places = page.evaluate(PLACES)
    page.keyboard.press(".")
    tutor.at_step(8)
    expect(page.locator(".made.lit")).to_have_text(["d 1.", "d_ 1.", "d_ 1."])
    assert page.evaluate(PLACES) == places
    page.keyboard.press("e")
    expect(page.locator(".made")).to_have_count(0)
    expect(page.locator(".badge.ran")).to_be_visible()
    assert page.evaluate(PLACES) == places
    page.reload()
    tutor.wait()
    expect(page.locator(".badge.ran")).to_be_visible()
    expect(page.locator(".made")).to_have_count(0)
    page.locator(".display-button").click()
    page.get_by_role("switch", name="Values next to the code").click()
    page.keyboard.press("Escape")
    expect(page.locator(".made.lit").first).to_be_visible()
    assert violations(page) == []


def test_a_phone_has_no_room_for_values(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844})
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    page.get_by_role("tab", name="Code").click()
    expect(page.locator(".badge.next")).to_be_visible()
    expect(page.locator(".made")).to_have_count(0)


OVERLAPS = """() => {
    const root = document.querySelector('.code-pane .editor').shadowRoot;
    const lines = [...root.querySelectorAll('.cm-line')];
    const range = document.createRange();
    return [...root.querySelectorAll('.made')].filter((made) => {
        const {left, top, bottom} = made.getBoundingClientRect();
        return lines.some((line) => {
            range.selectNodeContents(line);
            return [...range.getClientRects()].some((box) => box.right > left && box.top < bottom - 4 && box.bottom > top + 4);
        });
    }).map((made) => made.textContent);
}"""
"""Returns the values that overlap code."""


def test_no_value_is_on_code_after_the_fonts_of_a_first_visit_have_loaded(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    fonts = Held(page, "**/*.woff2")
    tutor.open(LESSON)
    expect(page.locator(".made").first).to_be_visible()
    fonts.release()
    page.wait_for_function(FONTS_ARE_HERE)
    page.keyboard.press(".")
    tutor.at_step(8)
    expect(page.locator(".made.lit").first).to_be_visible()
    assert page.evaluate(OVERLAPS) == []
