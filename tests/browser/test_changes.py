"""Controls that go to the next or previous change of a name, tensor or storage, or to the next warning."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit

LESSON = "/lessons/data-hides-the-write#step=8"


def test_by_pointer(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    before, boxes = tutor.positions(), tutor.boxes()
    bar = page.locator(".changes-bar")
    page.locator('.memory [data-name="d"] .name-tag').click()
    expect(bar.locator(".subject")).to_have_text("d")
    expect(bar.locator(".place")).to_have_text("2 / 2")
    expect(bar.locator(".what")).to_have_text("written")
    expect(page.locator(".chosen-frame")).to_have_count(1)
    expect(page.locator(".timeline .change-mark")).to_have_count(2)
    assert tutor.positions() == before and tutor.boxes() == boxes, "nothing has moved"
    tutor.shoot("follow-name")
    bar.get_by_role("button", name="Previous change").click()
    expect(page.locator(".position b")).to_have_text("Step 5")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".position b")).to_have_text("Step 6")
    expect(bar.locator(".what")).to_have_text("no change here")
    page.locator('.memory [data-storage="3"] .cell').first.click()
    expect(bar.locator(".subject")).to_have_text("S3")
    page.keyboard.press("Enter")
    expect(page.locator(".position b")).to_have_text("Step 8")
    page.locator('.memory [data-tensor="1"] > .tensor-card').click()
    page.keyboard.press("]")
    expect(bar.locator(".what")).to_have_text("gradient")
    bar.get_by_role("button", name="Stop following").click()
    expect(bar).to_have_count(0)
    expect(page.locator(".chosen-frame, .change-mark")).to_have_count(0)


def test_by_keyboard(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    page.keyboard.press("]")
    expect(page.locator(".changes-bar .subject")).to_have_text("S3")
    page.keyboard.press("[")
    expect(page.locator(".position b")).to_have_text("Step 5")
    memory = page.locator(".memory-pane .picture")
    memory.press("ArrowUp")
    expect(page.locator(".changes-bar .subject")).to_have_text("S2")
    memory.press("ArrowLeft")
    expect(page.locator(".changes-bar .subject.tensor")).to_have_text("w2")
    expect(page.locator(".changes-bar [aria-live]")).to_contain_text("w2")
    memory.press("Escape")
    expect(page.locator(".changes-bar")).to_have_count(0)
    expect(page.locator(".code-pane").get_by_role("button", name="Edit")).to_be_visible()


def test_from_warning_to_warning(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=1")
    tutor.wait()
    page = tutor.page
    onward, back = page.get_by_role("button", name="Next warning"), page.get_by_role("button", name="Previous warning")
    expect(back).to_have_attribute("aria-disabled", "true")
    onward.click()
    expect(page.locator(".position b")).to_have_text("Step 8")
    expect(onward).to_have_attribute("aria-disabled", "true")
    expect(onward).to_be_focused()
    page.keyboard.press("End")
    page.locator("body").press("Shift+W")
    expect(page.locator(".position b")).to_have_text("Step 8")
