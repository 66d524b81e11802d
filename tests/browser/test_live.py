"""Run the code automatically while it is edited: only if the visitor enabled it, after a pause, without moving the cursor."""

from playwright.sync_api import Request, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor


def asked(tutor: Tutor) -> list[str]:
    """Return a list to which the source of later runs is appended."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/v1/traces"):
            sent.append((request.post_data_json or {})["source"])

    tutor.page.on("request", note)
    return sent


def test_nothing_runs_by_itself_until_it_is_turned_on(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    page = tutor.page
    page.clock.install()
    sent = asked(tutor)
    tutor.write("import torch\nx = torch.ones(2)\n")
    page.clock.run_for(5000)
    assert sent == []
    page.get_by_role("button", name="Live", exact=True).click()
    page.clock.run_for(700)
    tutor.wait()
    assert sent == ["import torch\nx = torch.ones(2)\n"]
    for is_on in ("false", "true"):
        page.get_by_role("button", name="Live", exact=True).click()
        expect(page.get_by_role("button", name="Live", exact=True)).to_have_attribute("aria-pressed", is_on)
        page.clock.run_for(700)
    assert len(sent) == 1, "what is shown is not run again"


def test_it_follows_the_pauses_of_typing(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.clock.install()
    tutor.open("/")
    page.get_by_role("button", name="Live", exact=True).click()
    tutor.wait()
    sent = asked(tutor)
    tutor.write("import torch\nx = torch.ones(2)\n")
    expect(page.locator(".position span").first).to_have_text("of 2")
    editor = page.locator(".cm-content")
    editor.press("Control+End")
    tutor.stop_clock()
    page.keyboard.type("x.mul_(3)")
    page.clock.run_for(700)
    page.clock.resume()
    expect(page.locator(".position b")).to_have_text("Step 3")
    assert tutor.cells("x") == ["3.", "3."]
    expect(editor).to_be_focused()
    expect(editor).to_have_attribute("contenteditable", "true")
    expect(page.locator(".timeline .edited")).to_have_count(0)
    expect(page.locator(".cm-line.line-now")).to_have_text("x.mul_(3)")
    assert sent == ["import torch\nx = torch.ones(2)\n", "import torch\nx = torch.ones(2)\nx.mul_(3)"], "one run for each pause"
    tutor.shoot("live")
    page.keyboard.type("\ny = (x")
    expect(page.locator(".notice")).to_contain_text("Line 4 is not valid Python")
    expect(page.locator("[data-note]")).to_have_text("y = (x")
    expect(page.locator(".timeline .edited")).to_be_visible()
    assert tutor.cells("x") == ["3.", "3."], "what could not run leaves the last picture"
    tutor.shoot("live-unfinished")
    page.keyboard.type(" + 1)")
    expect(page.locator(".notice")).to_have_count(0)
    expect(page.locator(".position b")).to_have_text("Step 4")
    assert tutor.cells("y") == ["4.", "4."]
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("Home")
    editor.press("Control+End")
    page.keyboard.type("\nz = y")
    expect(page.locator(".position span").first).to_have_text("of 5")
    expect(page.locator(".position b")).to_have_text("Step 1")
    expect(page).to_have_url(f"{tutor.url}/#step=1")
    page.reload()
    tutor.wait()
    page.keyboard.press("F2")
    expect(page.get_by_role("button", name="Live", exact=True)).to_have_attribute("aria-pressed", "true")
