"""Step through a run by line, by Node or by operator. The address contains the step."""

import re

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look

LESSON = "/lessons/data-hides-the-write"

# Starts to reload the page, presses a key 4 ms later, and stores the address at the end of the page's life.
PRESS_SOON = """key => {
  setTimeout(() => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})), 4);
  addEventListener("pagehide", () => sessionStorage.setItem("left at", location.hash));
}"""


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
    expect(page.locator(".story")).to_contain_text("aten::view ran as part of MvBackward0")
    expect(page.locator(".cm-line .span-origin")).to_have_text("torch.matmul(d, w2)")
    expect(page.locator(".node.active .node-name")).to_have_text("MvBackward0")
    tutor.shoot("by-operator")
    page.get_by_role("button", name="Line", exact=True).click()
    expect(of).to_have_text("of 11")
    expect(page.locator(".position-line")).to_have_text("line 12")
    expect(page.locator(".story")).to_contain_text("4 Nodes ran")
    expect(page.locator(".edge.flow")).not_to_have_count(0)
    expect(page).to_have_url(re.compile("by=line"))  # the address is updated after a short delay
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
    tutor.at_step(31)
    places, panes = tutor.positions(), {key: box[:2] for key, box in tutor.boxes().items()}
    for number in range(30, 0, -1):
        page.keyboard.press(",")
        expect(page.locator(".position b")).to_have_text(f"Step {number}")
        for key, place in tutor.positions().items():
            assert places.setdefault(key, place) == place, f"{key} moved at step {number}"
        assert {key: box[:2] for key, box in tutor.boxes().items()} == panes, f"a pane moved at step {number}"


def test_a_reload_and_a_sent_link_open_at_the_same_step(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.run()
    tutor.to_start()
    page = tutor.page
    entries = page.evaluate("() => history.length")
    page.keyboard.press("g")
    for _ in range(15):
        page.keyboard.press(".")
    number = page.locator(".position b")
    expect(number).to_have_text("Step 16")
    expect(page).to_have_url(f"{tutor.url}{LESSON}#step=16&by=operator")
    assert page.evaluate("() => history.length") == entries, "steps are no places to go back to"
    page.reload()
    expect(number).to_have_text("Step 16")
    picture = tutor.picture()

    link = tutor.share()
    assert link.endswith("#step=16&by=operator") and "/s/" in link
    expect(page).to_have_url(link)
    for other in (visit(), visit(locale="zh-CN")):
        other.page.goto(link)
        other.wait()
        expect(other.page.locator(".position b")).to_contain_text("16")
        expect(other.page.locator(".switch.granularity [aria-pressed=true]")).to_have_count(1)
    assert visit_picture(visit, link) == picture
    page.evaluate("() => { location.hash = 'step=3'; }")
    expect(number).to_have_text("Step 3")
    expect(page.get_by_role("button", name="Node", exact=True)).to_have_attribute("aria-pressed", "true")


def test_a_page_that_is_left_at_once_comes_back_where_it_was(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=1")
    tutor.wait()
    for key in [".", ","] * 20:  # browsers limit how often the address can change in a short time
        tutor.page.keyboard.press(key)
    tutor.page.keyboard.press("End")
    tutor.page.reload()
    tutor.wait()
    tutor.at_step(15)


def test_a_step_taken_while_the_browser_begins_to_reload_comes_back(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=1")
    tutor.wait()
    left_at: set[str] = set()
    for key in ["End", "Home"] * 20:
        if left_at == {"#step=1", "#step=15"}:
            break  # the browser may have left the page before the key was pressed
        tutor.page.evaluate(PRESS_SOON, key)
        tutor.page.reload()
        tutor.wait()
        left_at.add(address := tutor.page.evaluate("() => sessionStorage.getItem('left at')"))
        tutor.at_step(int(address.removeprefix("#step=")))
    assert left_at == {"#step=1", "#step=15"}, "a key came before the page was gone"


def visit_picture(visit: Visit, link: str) -> str:
    """Return the pictures that another visitor sees at this address."""
    tutor = visit()
    tutor.page.goto(link)
    tutor.wait()
    return tutor.picture()


def test_code_of_ones_own_comes_back_at_its_step_and_what_was_edited_since_comes_back_as_text(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nmine = torch.ones(3)\nmine.mul_(2)\n")
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    expect(page).to_have_url(f"{tutor.url}/#step=3")
    page.reload()
    tutor.wait()
    expect(page.locator(".position b")).to_have_text("Step 3")
    assert tutor.cells("mine") == ["2.", "2.", "2."]
    tutor.edit()
    page.locator(".cm-content").press("Control+End")
    page.keyboard.type("print(mine)")
    expect(page).to_have_url(f"{tutor.url}/")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("print(mine)")
    expect(page.locator(".timeline")).to_have_count(0)


def test_where_the_cpu_stood_in_it_does_so_after_a_reload(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nx = torch.ones(2, device='cuda')\n")
    tutor.page.get_by_role("button", name="CPU as GPU").click()
    tutor.run()
    tutor.page.keyboard.press("End")
    expect(tutor.page).to_have_url(f"{tutor.url}/#step=2&on=stand-in")
    tutor.page.reload()
    tutor.wait()
    expect(tutor.page.locator(".stood-in")).to_be_visible()
    assert tutor.cells("x") == ["1.", "1."]


def test_playing_has_a_speed(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=1")
    tutor.wait()
    page = tutor.page
    page.clock.install()
    tutor.stop_clock()
    speed = page.locator(".speed")
    number = page.locator(".position b")
    step = 1
    for text, pace in (("1×", 1400), ("2×", 700), ("4×", 350), ("½×", 2800)):
        expect(speed).to_have_text(text)
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.clock.run_for(pace - 10)
        expect(number).to_have_text(f"Step {step}")
        page.clock.run_for(120)  # the timer starts when the previous step was painted
        expect(number).to_have_text(f"Step {step + 1}")
        page.clock.run_for(pace - 120)
        expect(number).to_have_text(f"Step {step + 1}")
        page.clock.run_for(230)
        step += 2
        expect(number).to_have_text(f"Step {step}")
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        page.clock.run_for(100)
        speed.click()
        speed.evaluate("(button) => button.blur()")
    page.reload()
    expect(speed).to_have_text("1×")


LOOP = """\
import torch
w = torch.ones(2, requires_grad=True)
for round in range(40):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
print(loss.item())
"""


def test_a_round_of_a_long_loop_can_be_picked(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(LOOP)
    tutor.run()
    tutor.to_start()
    page = tutor.page
    line, rounds = page.locator(".position-line"), page.locator(".timeline .band.round")
    expect(line).to_have_text("line 1")
    expect(rounds.last).to_be_visible()
    places = [rounds.nth(number).bounding_box() for number in (0, -1)]
    rounds.nth(3).click()
    expect(line).to_contain_text("of 40")
    picked = line.inner_text()
    assert picked.startswith("line 3 · round ")
    expect(page.locator(".band.round.here")).to_have_count(1)
    for _ in range(4):
        page.keyboard.press(".")
    expect(line).to_contain_text("line 5")
    story = page.locator(".story").inner_text()
    first = int(picked.split()[4])
    page.keyboard.press("i")
    expect(line).to_have_text(f"line 5 · round {first + 1} of 40")
    assert page.locator(".story p").first.inner_text().split()[0] == story.split()[0], "the same Node, one round later"
    page.locator("body").press("Shift+I")
    expect(line).to_have_text(f"line 5 · round {first} of 40")
    assert page.locator(".story").inner_text() == story
    tutor.shoot("loop-rounds")
    assert [rounds.nth(number).bounding_box() for number in (0, -1)] == places, "the timeline stays where it is"
    page.keyboard.press("End")
    expect(line).to_have_text("line 9")


@by_look()
def test_nothing_of_it_breaks_a_rule_of_accessibility(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tutor.open(f"{LESSON}#step=16&by=operator")
    tutor.wait()
    page = tutor.page
    page.keyboard.press("]")
    expect(page.locator(".changes-bar")).to_be_visible()
    assert violations(page) == []
    page.locator(".about-button").click()
    expect(page.locator("dialog.about")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    tutor.open("/")
    tutor.write(LOOP)
    page.keyboard.press("Control+Enter")
    tutor.wait()
    page.locator(".code-pane .act").click()
    page.locator(".live").click()
    page.locator(".cm-content").press("Control+End")
    page.keyboard.type("#")
    expect(page.locator(".timeline .edited")).to_be_visible()
    assert violations(page) == []


CONSTRUCTS = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
model = Net()
x = torch.ones(2)
"""


def test_the_construction_of_a_module_is_one_step_that_opens(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    tutor.write(CONSTRUCTS)
    tutor.run()
    page = tutor.page
    number, story = page.locator(".position b"), page.locator(".story")
    page.keyboard.press("End")
    expect(number).to_have_text("Step 14")
    page.keyboard.press("ArrowLeft")
    expect(number).to_have_text("Steps 9–13")
    expect(story).to_contain_text("A module Net is constructed, with 2 parameters (6 elements).")
    expect(page.locator(".band.construction text")).to_have_text("4 steps of construction")
    page.keyboard.press("ArrowLeft")
    tutor.at_step(8)
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Open 4 steps of construction").click()
    tutor.at_step(9)
    page.keyboard.press("ArrowRight")
    expect(number).to_have_text("Steps 10–12")
    expect(story).to_contain_text("A module Block is constructed")
    page.keyboard.press("u")
    tutor.at_step(10)
    page.keyboard.press("u")
    expect(number).to_have_text("Steps 10–12")
    page.get_by_role("button", name="Close 4 steps of construction").click()
    expect(number).to_have_text("Steps 9–13")
    page.goto(page.url.partition("#")[0] + "#step=11")
    page.reload()
    tutor.wait()
    tutor.at_step(11)
