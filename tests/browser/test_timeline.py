"""The timeline of a long run: its marks, its visible range, and the curve of memory usage."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

LONG = """import torch
x = torch.ones(64)
for number in range(300):
    x.add_(number)
    y = x.sum()
big = torch.zeros(1000)
del big
print(x.sum())
"""
"""A program with more than 900 steps, whose memory usage peaks near the end."""


def opened(visit: Visit, **options: object) -> Tutor:
    tutor = visit(**options)
    tutor.open("/")
    tutor.write(LONG)
    tutor.run()
    tutor.to_start()
    return tutor


def bounds(slider: Locator) -> tuple[int, int]:
    """Return the first and last step in the timeline's visible range."""
    return int(slider.get_attribute("min") or 0), int(slider.get_attribute("max") or 0)


def test_a_part_of_a_long_run_can_be_looked_at(visit: Visit) -> None:
    tutor = opened(visit)
    page, slider = tutor.page, tutor.page.locator(".slider")
    whole, boxes = bounds(slider), tutor.boxes()
    assert whole[1] > 900
    drawn = "() => document.querySelectorAll('.marks *').length"
    assert page.evaluate(drawn) < 400, "what does not fit is not drawn"
    switch = page.locator(".timeline-zoom")
    switch.get_by_role("button", name="A shorter part").click()
    expect(slider).not_to_have_attribute("max", str(whole[1]))
    half = bounds(slider)
    assert half[0] == 1 and 0.4 * whole[1] < half[1] < 0.6 * whole[1]
    page.keyboard.press("End")
    expect(slider).to_have_attribute("max", str(whole[1]))
    assert bounds(slider)[0] > 1, "the part goes along with the step"
    slider.focus()
    for _ in range(12):
        page.keyboard.press("+")
    expect(page.locator(".line-number")).to_have_count(13)
    near = bounds(slider)
    assert near[1] - near[0] == 12
    tutor.shoot("timeline-near")
    page.keyboard.press("0")
    expect(switch.get_by_role("button", name="All")).to_have_attribute("aria-pressed", "true")
    assert bounds(slider) == whole
    box = page.locator(".overview-run").bounding_box()
    assert box is not None
    across, down = box["x"] + box["width"] / 2, box["y"] + 3
    page.mouse.move(across, down)
    page.mouse.down()
    page.mouse.move(across + box["width"] / 4, down, steps=4)
    page.mouse.up()
    expect(slider).not_to_have_attribute("min", str(whole[0]))
    drawn_part = bounds(slider)
    assert abs(drawn_part[0] - whole[1] * 0.5) < 15 and abs(drawn_part[1] - whole[1] * 0.75) < 15
    page.mouse.move(across + box["width"] / 8, down)
    page.mouse.down()
    page.mouse.move(across, down, steps=4)
    page.mouse.up()
    expect(slider).not_to_have_attribute("min", str(drawn_part[0]))
    moved = bounds(slider)
    assert moved[1] - moved[0] == drawn_part[1] - drawn_part[0] and moved[0] < drawn_part[0] - 50
    page.mouse.move(across, down - 60)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(slider).not_to_have_attribute("min", str(moved[0]))
    assert bounds(slider)[1] - bounds(slider)[0] < 0.6 * (moved[1] - moved[0])
    page.keyboard.press("Home")
    expect(page.locator(".position b")).to_have_text("Step 1")
    assert tutor.boxes() == boxes, "nothing beside it has moved"


def test_what_is_pressed_on_the_track_is_what_lies_there(visit: Visit) -> None:
    tutor = opened(visit)
    page, track = tutor.page, tutor.page.locator(".track")
    box = track.bounding_box()
    assert box is not None
    for share in (0.1, 0.5, 0.93):
        track.click(position={"x": box["width"] * share, "y": 37})
        expect(page.locator("g.here:not(.band)")).to_have_count(1)
        here = page.locator("g.here circle").bounding_box()
        assert here is not None and abs(here["x"] + here["width"] / 2 - box["x"] - box["width"] * share) < 2
    rounds = page.locator(".band.round")
    assert rounds.count() < 40
    rounds.nth(2).dblclick()
    expect(page.locator(".position-line")).to_contain_text("of 300")
    name = page.locator(".band.round.here text").text_content()
    assert 2 <= page.locator(".band.round").count() <= 13, name


def test_the_curve_of_what_lives_in_memory(visit: Visit) -> None:
    tutor = opened(visit)
    page, slider = tutor.page, tutor.page.locator(".slider")
    living = page.locator(".position-usage")
    expect(page.locator(".usage-line")).to_have_count(1)
    expect(page.locator(".usage-peak text")).to_contain_text("peak: 4.2 KiB, step ")
    most = int((page.locator(".usage-peak text").text_content() or "").split()[-1])
    page.keyboard.press("End")
    expect(slider).to_have_value(slider.get_attribute("max") or "")
    last = living.inner_text().partition(" in memory")[0]
    assert last != "4.2 KiB"
    page.locator(".slider").fill(str(most))
    expect(living).to_contain_text("4.2 KiB in memory")
    assert "4.2 KiB in 3 storages" in (slider.get_attribute("aria-valuetext") or "")
    page.keyboard.press(".")
    expect(living).to_contain_text(f"{last} in memory")
    page.keyboard.press("t")
    words = f"In memory: {last} in 2 storages. Peak: 4.2 KiB, at step {most}."
    expect(page.locator(".usage-words")).to_have_text(words)
    page.keyboard.press("t")
    box = page.locator(".usage-hit").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 10)
    expect(page.locator(".tip")).to_contain_text("storage")
    tutor.shoot("timeline-curve")


def test_small_screens_tell_it_in_words(visit: Visit) -> None:
    tutor = opened(visit, viewport={"width": 390, "height": 844}, has_touch=True)
    page = tutor.page
    expect(page.locator(".usage-line")).to_have_count(0)
    tutor.show("memory")
    page.get_by_role("button", name="Text view").click()
    expect(page.locator(".usage-words")).to_be_visible()
    expect(page.locator(".timeline-zoom")).to_be_in_viewport(ratio=1)


def test_an_update_of_the_parameters_has_a_band_of_its_own(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    tutor.write(
        "import torch\nw = torch.tensor([2.], requires_grad=True)\nb = torch.tensor([1.], requires_grad=True)\n"
        "opt = torch.optim.SGD([w, b], lr=0.1)\n((w + b) ** 2).backward()\nopt.step()\nprint(w)\n"
        "with torch.no_grad():\n    for p in [w, b]:\n        p -= 0.1 * p.grad\nloss = w + b\n"
    )
    tutor.run()
    words = tutor.page.locator(".track .band:not(.round) title")
    expect(words).to_have_text(["forward", "backward (inside line 5)", "update", "forward", "update", "forward"])
