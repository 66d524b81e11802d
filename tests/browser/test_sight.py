"""The page with forced colours, with a larger text size, and with a larger default font size in the browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.test_panes import SIDEWAYS

LESSON = "/lessons/data-hides-the-write#step=8"
LOOK = """(element) => {
    const {backgroundColor, outlineStyle, outlineWidth, borderBottomColor, fill} = getComputedStyle(element);
    return [backgroundColor, outlineStyle, outlineWidth, borderBottomColor, fill].join(' ');
}"""
COLLIDING = """() => {
    const shown = [...document.querySelectorAll(':is(.header, .pane-head, .tab-list, .lower-tabs, .playback) > *')]
        .filter((element) => element.getClientRects().length && getComputedStyle(element).position === 'static');
    const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return shown.flatMap((one, place) => shown.slice(place + 1)
        .filter((other) => other.parentElement === one.parentElement)
        .map((other) => [one.getBoundingClientRect(), other.getBoundingClientRect(), other])
        .filter(([a, b]) => across(a, b) > 1 && down(a, b) > 1)
        .map(([, , other]) => `${one.className} ${one.textContent} × ${other.className} ${other.textContent}`));
}"""


def look(page: Page, selector: str) -> str:
    """Return CSS properties of an element that have an effect with forced colours."""
    seen: str = page.locator(selector).first.evaluate(LOOK)
    return seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_what_is_chosen_differs_by_more_than_its_colour_of_before(visit: Visit, scheme: str) -> None:
    tutor = visit(forced_colors="active", color_scheme=scheme)
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    page.keyboard.press("e")  # if values are hidden, the badge is next to the line
    expect(page.locator(".badge.ran")).to_be_visible()
    for chosen, other in (
        ('.playback .switch [aria-pressed="true"]', '.playback .switch [aria-pressed="false"]'),
        ('.header .switch [aria-pressed="true"]', '.header .switch [aria-pressed="false"]'),
        ('.lower-tab[aria-selected="true"]', '.lower-tab[aria-selected="false"]'),
        (".line-now", ".cm-line"),
        (".line-next", ".cm-line"),
        (".here circle", ".mark.done"),
        (".memory .cell.written rect", ".memory .cell:not(.written) rect"),
        (".summary-part.warned", ".summary-part.well"),
    ):
        assert look(page, chosen) != look(page, other), chosen
    assert violations(page) == []
    tutor.shoot(f"forced-{scheme}")


@pytest.mark.sweep
@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (720, 450)])
def test_large_letters_collide_nowhere_and_the_pictures_grow(visit: Visit, size: tuple[int, int]) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]})
    tutor.open(LESSON)
    tutor.wait()
    tutor.show("memory")
    page = tutor.page
    expect(page.locator(".memory .cell").first).to_be_attached()
    cell = page.locator(".memory .cell rect").first.evaluate("(cell) => cell.getBoundingClientRect().height")
    page.evaluate("() => localStorage.setItem('stepgrad.size', '150')")
    page.reload()
    tutor.wait()
    tutor.show("memory")
    page.wait_for_function(
        "(least) => document.querySelector('.memory .cell rect')?.getBoundingClientRect().height > least", arg=1.2 * cell
    )
    assert page.evaluate(COLLIDING) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.evaluate(SIDEWAYS) == []
    assert violations(page) == []
    tutor.shoot(f"large-letters-{size[0]}")


def test_the_fonts_of_the_browser_are_followed(visit: Visit) -> None:
    tutor = visit()
    tutor.page.add_init_script(
        "document.addEventListener('readystatechange', () => document.documentElement.style.setProperty('font-size', '200%'))"
    )
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    assert page.locator(".story p").first.evaluate("(line) => parseFloat(getComputedStyle(line).fontSize)") == pytest.approx(30)
    assert page.evaluate(COLLIDING) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
