"""Run a CUDA snippet without a GPU: the error offers the CPU as a stand-in. Every step and the link mention the stand-in."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of

ON_GPU = (
    'import torch\nw = torch.ones(2, requires_grad=True)\nx = torch.ones(2, device="cuda")\nprint((w.to("cuda") * x).sum())\n'
)


def test_from_the_error_to_the_stand_in_and_its_link(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    page = tutor.page
    expect(page.locator(".stood-in")).to_have_count(0)
    expect(page.get_by_role("button", name="CPU as GPU")).to_have_count(0)
    tutor.write(ON_GPU)
    expect(page.get_by_role("button", name="CPU as GPU")).to_have_attribute("aria-pressed", "false")
    tutor.run()
    page.keyboard.press("End")
    expect(page.locator(".end.badly")).to_contain_text("Torch not compiled with CUDA enabled")
    expect(page.locator('[data-finding="no_gpu"]')).to_contain_text("this machine has none")
    tutor.shoot("no-gpu")
    page.get_by_role("button", name="Run again with the CPU instead of a GPU", exact=True).click()
    pill = page.locator(".stood-in")
    expect(pill).to_have_text("the CPU replaces cuda:0")
    page.keyboard.press("End")
    expect(page.locator(".end.well")).to_be_visible()
    expect(page.locator(".output")).to_contain_text("tensor(2., device='cuda:0', grad_fn=<SumBackward0>)")
    expect(tutor.row("x").locator(".storage-size")).to_contain_text("cuda:0")
    for key in ("Home", ".", "."):
        page.keyboard.press(key)
        expect(pill).to_be_visible()

    link = tutor.share()
    other = visit()
    other.open(link.removeprefix(other.url))
    expect(other.page.locator(".stood-in")).to_be_visible()
    other.page.get_by_role("button", name="Edit").click()
    switch = other.page.get_by_role("button", name="CPU as GPU")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(other.page.locator(".old-note")).to_be_visible()
    other.run()
    expect(other.page.locator(".stood-in")).to_have_count(0)


@pytest.mark.sweep
@by_look((1440, 900), (1024, 768), (360, 740))
def test_it_looks_right(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tutor.open("/")
    tutor.write(ON_GPU)
    page = tutor.page
    page.locator(".code-pane .stand-in").click()
    tutor.shoot(f"stand-in-switch-{name_of(look)}")
    page.locator(".code-pane .primary").click()
    tutor.wait()
    page.keyboard.press("End")
    expect(page.locator(".stood-in")).to_be_visible()
    tutor.shoot(f"stand-in-{name_of(look)}")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
