"""How a visitor walks a run: by line, by Node or by operator, and what the address remembers of it."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit

LESSON = "/?lesson=21a-data-hides-the-write"


def test_one_press_goes_by_line_by_node_or_by_operator(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=8")
    tutor.wait()
    page = tutor.page
    number, of = page.locator(".position b"), page.locator(".position span").first
    before = tutor.positions()
    expect(of).to_have_text("of 15")
    page.keyboard.press("g")
    expect(page.get_by_role("button", name="Operator")).to_have_attribute("aria-pressed", "true")
    expect(number).to_have_text("Step 15")
    expect(of).to_have_text("of 31")
    assert tutor.positions() == before, "the step is the same, and nothing has moved"
    page.keyboard.press(",")
    expect(page.locator(".story")).to_contain_text("The operator aten::fill_ ran.")
    expect(page.locator(".cm-line .span-now.part")).to_have_text("d_[:]")
    page.locator("body").press("Shift+Period")
    page.locator("body").press("Shift+Period")
    expect(page.locator(".position-line")).to_have_text("line 12")
    for _ in range(12):
        page.keyboard.press(",")
    expect(page.locator(".story")).to_contain_text("aten::view ran, as a part of MvBackward0")
    expect(page.locator(".cm-line .span-origin")).to_have_text("torch.matmul(d, w2)")
    expect(page.locator(".node.active .node-name")).to_have_text("MvBackward0")
    tutor.shoot("by-operator")
    page.get_by_role("button", name="Line", exact=True).click()
    expect(of).to_have_text("of 11")
    expect(page.locator(".position-line")).to_have_text("line 12")
    expect(page.locator(".story")).to_contain_text("4 Nodes ran")
    expect(page.locator(".edge.flow")).not_to_have_count(0)
    page.reload()
    tutor.wait()
    expect(of).to_have_text("of 11")
    tutor.shoot("by-line")


def test_nothing_moves_by_operator(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=1")
    tutor.wait()
    page = tutor.page
    page.keyboard.press("g")
    page.keyboard.press("End")
    places, panes = tutor.positions(), {key: box[:2] for key, box in tutor.boxes().items()}
    for number in range(30, 0, -1):
        page.keyboard.press(",")
        expect(page.locator(".position b")).to_have_text(f"Step {number}")
        for key, place in tutor.positions().items():
            assert places.setdefault(key, place) == place, f"{key} moved at step {number}"
        assert {key: box[:2] for key, box in tutor.boxes().items()} == panes, f"a pane moved at step {number}"
