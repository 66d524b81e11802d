"""The text view contains the same facts as the pictures at every step, and screen readers can read it."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit

SHOWN = """() => {
    const all = (selector) => [...document.querySelectorAll(`.picture ${selector}`)].map((element) => element.textContent);
    const clipped = (text) => text.includes('…') || text.startsWith('+');
    const pocketOf = (element) => [element.querySelector('.pocket-name').textContent, element.dataset.look];
    return {
        memory: [
            ...[...document.querySelectorAll('.memory [data-name]')].map((element) => element.dataset.name),
            ...all('.storage-name'), ...all('.cell-value'), ...all('.memory .pill text'), ...all('.was-value'),
            ...all('.tensor-shape'),
        ].filter((text) => !clipped(text)),
        graph: [
            ...all('.node-name'), ...all('.pocket-name'), ...all('.chip text'),
            ...all('.bucket-grad').filter((text) => text.includes(': ')).map((text) => text.split(': ')[1]),
        ].filter((text) => !clipped(text)),
        looks: [...document.querySelectorAll('.pocket')].map(pocketOf),
    };
}"""
IS_SAID = """([name, words]) => {
    const text = document.querySelector(`.${name}-pane .outline`)?.textContent ?? '';
    return words.every((word) => text.includes(word));
}"""
"""Whether the text view of a picture contains all these words, even if it is hidden."""
LOOKS = {
    "current": "current.",
    "stale": "stale: written since it was saved.",
    "freed": "freed.",
    "stale-freed": "stale when its Node ran, then freed.",
    "hidden": "not shown by torch.",
}


@pytest.mark.parametrize("lesson", ["data-hides-the-write", "data-detach-and-clone", "clone-adds-up"])
def test_all_that_is_drawn_is_said(visit: Visit, lesson: str) -> None:
    tutor = visit()
    tutor.open(f"/lessons/{lesson}#step=1")
    tutor.wait()
    page = tutor.page
    count = int(page.locator(".slider").get_attribute("max") or 0)
    for number in range(1, count + 1):
        page.keyboard.press("Home" if number == 1 else ".")
        tutor.at_step(number)
        shown = page.evaluate(SHOWN)
        page.keyboard.press("t")
        expect(page.locator(".stage.as-text")).to_have_count(1)
        for name in ("memory", "graph"):
            page.wait_for_function(IS_SAID, arg=[name, shown[name]])
        for slot, look in shown["looks"]:
            items = page.locator(".graph-pane .outline li li").filter(has_text=slot).all_text_contents()
            assert any(item.endswith(LOOKS[look]) for item in items), f"step {number}: {slot} {look} in {items}"
        page.keyboard.press("t")


def test_it_stands_in_the_pictures_place_until_it_is_left(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    boxes = page.evaluate(
        "() => [...document.querySelectorAll('.pane')].map((element) => element.getBoundingClientRect().toJSON())"
    )
    switch = page.get_by_role("button", name="Text view", exact=True)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    outline = page.locator(".memory-pane .outline")
    expect(outline).to_be_in_viewport()
    expect(page.locator(".picture svg.memory")).to_be_hidden()
    assert boxes == page.evaluate(
        "() => [...document.querySelectorAll('.pane')].map((element) => element.getBoundingClientRect().toJSON())"
    )
    assert violations(page) == []
    tutor.shoot("text-8")
    page.keyboard.press(".")
    expect(outline).not_to_contain_text("Written in this step")
    page.reload()
    tutor.wait()
    expect(page.get_by_role("button", name="Text view", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("t")
    expect(page.locator(".picture svg.memory")).to_be_visible()
    expect(page.locator(".chip.fresh").first).to_be_visible()


def test_it_is_what_a_screen_reader_reads(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    read = tutor.page.locator(".memory-pane").aria_snapshot()
    assert "2 tensors share it" in read and "img" not in read, read
    tutor.page.keyboard.press(".")
    expect(tutor.page.locator(".graph-pane .outline")).to_contain_text("It runs in this step.")
    assert "It runs in this step." in tutor.page.locator(".graph-pane").aria_snapshot()
