"""Save screenshots in all sizes, languages and themes for review. Assert that nothing overflows and no text is too small."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_page import TOO_SMALL

RESNET = Path(__file__).parents[1] / "benchmarks" / "snippets" / "resnet18.py"
LESSONS = {
    "data": "data-hides-the-write#step=8",
    "detach": "detach-tells-on-the-write#step=8",
    "clone": "clone-adds-up#step=9",
}
SIZES = [(1024, 768), (1920, 1080), (390, 844)]
LOOP = """\
import torch
w = torch.tensor([4.0, -3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)
losses = []
for round in range(100):
    loss = (w * w).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
print(w)
"""


def show(tutor: Tutor, lesson: str) -> None:
    """Load a lesson again at its step."""
    tutor.page.goto("about:blank")
    tutor.open(f"/lessons/{lesson}")
    tutor.wait()


def run(tutor: Tutor, source: str) -> None:
    """Run a program on the start page, and go to its last step."""
    tutor.page.goto("about:blank")
    tutor.open("/")
    tutor.write(source)
    tutor.page.keyboard.press("Control+Enter")
    tutor.wait()


def settle(tutor: Tutor) -> None:
    """Remove the focus, so that the screenshot has no focus ring."""
    tutor.page.evaluate("() => document.activeElement.blur()")


def look_at(tutor: Tutor, picture: str) -> None:
    """Save a screenshot. Assert that nothing is wider than the page, and that no text is too small."""
    tutor.shoot(picture)
    assert tutor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), picture
    assert tutor.page.evaluate(TOO_SMALL) == [], picture


@pytest.mark.sweep
@by_look()
def test_lessons(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    for lesson, address in LESSONS.items():
        show(tutor, address)
        look_at(tutor, f"{lesson}-1440-{name_of(look)}")
    for width, height in SIZES:
        tutor.page.set_viewport_size({"width": width, "height": height})
        show(tutor, LESSONS["data"])
        look_at(tutor, f"data-{width}-{name_of(look)}")


@pytest.mark.sweep
@by_look()
def test_the_course(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    for width, height in [(1440, 900), *SIZES]:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{tutor.url}/lessons")
        expect(page.locator("#search")).to_be_visible()
        look_at(tutor, f"gallery-{width}-{name_of(look)}")
        tutor.open("/lessons/data-hides-the-write")
        look_at(tutor, f"lesson-{width}-{name_of(look)}")
        page.locator(".choice").last.click()
        page.locator(".ask .primary").click()
        expect(page.locator(".lesson-verdict")).to_be_visible()
        look_at(tutor, f"verdict-{width}-{name_of(look)}")


@pytest.mark.sweep
@by_look()
def test_long_runs_and_predicting(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    run(tutor, RESNET.read_text())
    slider = page.locator(".slider")
    slider.fill("150")
    page.locator(".folds button").first.click()
    page.locator(".graph [data-fold]").first.click()
    expect(page.locator(".graph [data-fold]")).not_to_have_count(1)
    page.keyboard.press(".")
    settle(tutor)
    look_at(tutor, f"resnet18-{name_of(look)}")
    assert violations(page) == []
    run(tutor, LOOP)
    slider.fill(str(int(slider.get_attribute("max") or 0) // 2))
    expect(page.locator(".position-line")).to_contain_text("100")
    settle(tutor)
    look_at(tutor, f"loop-100-{name_of(look)}")
    assert violations(page) == []
    show(tutor, LESSONS["data"])
    page.evaluate("() => localStorage.setItem('stepgrad.predict', 'on')")
    page.reload()
    tutor.wait()
    page.keyboard.press(".")
    expect(page.locator(".story-pane.asking")).to_be_visible()
    look_at(tutor, f"predict-{name_of(look)}")
    assert violations(page) == []
