"""Compare two snippets side by side: step both, show and announce the differences, share, edit and close the comparison."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_page import TOO_SMALL

PAIR = "/?compare=data-hides-the-write,detach-tells-on-the-write"
FRAME = """() => [...document.querySelectorAll('.verdict, .compare-bar, .side .pane, .timeline, .track, .position')]
    .map((element) => JSON.stringify(element.getBoundingClientRect()))"""
PLACES = """() => Object.fromEntries([...document.querySelectorAll('.side')].flatMap((side, number) =>
    [...side.querySelectorAll('.node[data-node], [data-tensor], [data-saved]')].map((element) => {
        const {x, y} = element.querySelector('rect, path').getBBox();
        return [`${number} ${JSON.stringify({...element.dataset})} ${element.closest('[data-row]')?.dataset.row}`, `${x} ${y}`];
    })))"""


def opened(visit: Visit, step: int = 1, **options: object) -> Tutor:
    """Open the comparison of two lessons at a step."""
    tutor = visit(**options)
    tutor.open(f"{PAIR}#step={step}")
    expect(tutor.page.locator(".timeline.pair")).to_be_visible()
    tutor.wait()
    return tutor


def differences(page: Page) -> list[str]:
    """Wait until the differences were computed, and return the lines of their list."""
    expect(page.locator(".differences .count > [aria-hidden]")).to_have_text(re.compile("[=≠]"))
    return page.locator(".differences li").all_inner_texts()


def test_data_and_detach_step_by_step(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    left, right = page.locator(".side.of-left"), page.locator(".side.of-right")
    expect(page.locator(".verdict.of-left")).to_contain_text("Wrong gradients without an error")
    expect(page.locator(".verdict.of-left p")).to_have_text("finished · w2.grad = [1.] · w1.grad = [[3.], [6.]]")
    expect(page.locator(".verdict.of-right")).to_contain_text("RuntimeError on line 12 · w2.grad = None")
    expect(page.locator(".sign.other:visible")).to_have_count(4)
    frame = page.evaluate(FRAME)
    places: dict[str, str] = {}
    seen = []
    for number in range(1, 16):
        expect(page.locator(".position b")).to_have_text(f"Step {number}")
        assert page.evaluate(FRAME) == frame, "nothing moves between steps"
        for key, place in page.evaluate(PLACES).items():
            assert places.setdefault(key, place) == place, f"{key} moved at step {number}"
        seen.append(differences(page))
        page.keyboard.press(".")
    assert seen[:5] == [[]] * 5
    assert "d version counter its own≠shared with d_" in seen[5], (
        "no value differs, and no version, but whose counter it is does"
    )
    assert not any("v0" in difference for difference in seen[5])
    assert seen[7][:2] == [
        "MvBackward0.self saved stale, and torch will not detect it≠stale, torch raises an error",
        "d version v0≠v1",
    ]
    assert seen[-1][:2] == ["w2.grad [1.]≠None", "w1.grad [[3.], [6.]]≠None"]

    page.get_by_role("slider").fill("8")
    for side, version in ((left, "v0"), (right, "v1")):
        card = side.locator('.memory [data-tensor]:has([data-name="d"])')
        expect(card.locator(".pill")).to_have_attribute("data-version", version)
        expect(side.locator(".memory [data-differs]")).to_have_count(2)
        expect(side.locator(".graph [data-differs]")).to_have_count(1)
    expect(page.locator(".app > [role=status].visually-hidden")).to_have_text(
        re.compile(r"^Step 8\. A, line 11: .+ B, line 11: .+ 4 differences: MvBackward0.self saved: A stale.+, B stale.+\.$")
    )
    assert violations(page) == []
    tutor.shoot("compare-write")
    page.keyboard.press("PageDown")
    page.keyboard.press("Home")
    page.get_by_role("button", name="First difference: step 6").click()
    expect(page.locator(".position b")).to_have_text("Step 6")
    page.keyboard.press("w")
    expect(page.locator(".position b")).to_have_text("Step 8")
    for _ in range(2):
        page.keyboard.press(".")
    expect(page.locator(".position b")).to_have_text("Step 10")
    expect(right.locator(".story")).to_contain_text("This run stays on line")
    expect(left.locator(".story")).to_contain_text("AccumulateGrad of w2 received the gradient [1.]")
    for _ in range(3):
        page.keyboard.press(".")
    expect(right.locator(".story")).to_contain_text("RuntimeError")
    expect(left.locator(".story")).to_contain_text("Backward is complete")
    tutor.shoot("compare")


def test_both_are_walked_by_line_and_by_operator_and_a_reload_stays_there(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    page.keyboard.press("g")
    expect(page).to_have_url(re.compile(r"\?compare=[a-z-]+,[a-z-]+#step=16&by=operator$"))
    expect(page.locator(".position-line")).to_have_text("A line 11 · B line 11")
    page.reload()
    expect(page.locator(".position b")).to_have_text("Step 16")
    page.get_by_role("button", name="Line", exact=True).click()
    expect(page.locator(".position b")).to_have_text("Step 8")
    expect(page.locator(".position-line")).to_have_text("A line 11 · B line 11")
    page.keyboard.press("t")
    expect(page.locator(".side.of-left .memory-pane .outline")).to_contain_text("d, a Tensor")
    expect(page.locator(".side.of-right .graph-pane .outline")).to_contain_text("stale")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("F2")
    expect(page.locator(".code-pane")).to_have_count(1)
    expect(page.locator(".code-pane .act")).to_have_text("Run")


def test_a_fix_beside_what_it_mends_and_the_link_opens_for_somebody_else(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/exp-saves-its-output#step=4")
    tutor.wait()
    page = tutor.page
    page.get_by_role("button", name=re.compile("Compare side by side: ")).first.click()
    expect(page.locator(".verdict.of-left")).to_contain_text("RuntimeError")
    expect(page.locator(".verdict.of-right")).to_contain_text("finished")
    expect(page).to_have_url(f"{tutor.url}/?compare=exp-saves-its-output,own#step=4")
    title = page.locator(".verdict.of-right h2").inner_text()
    page.keyboard.press("End")
    last = page.get_by_role("slider").get_attribute("max")
    assert last != "1"
    expect(page).to_have_url(f"{tutor.url}/?compare=exp-saves-its-output,own#step={last}")
    page.reload()
    expect(page.locator(".verdict.of-right h2")).to_have_text(title)
    tutor.at_step(int(last or 0))
    told = differences(page)
    assert told and "time.grad None≠[2.7183, 7.3891]" in "".join(told)

    link = tutor.share()
    assert re.search(r"/\?compare=s/\w+,s/\w+#step=\d+$", link)
    expect(page).to_have_url(link)
    other = visit(locale="zh-CN")
    other.page.goto(link)
    expect(other.page.locator(".verdict.of-right")).to_contain_text("运行完毕")
    expect(other.page.locator(".differences li")).to_have_count(len(told))
    other.page.get_by_role("button", name="编辑 B").click()
    expect(other.page.locator(".cm-content")).to_contain_text("growth")
    expect(other.page.locator(".cm-content")).to_have_attribute("contenteditable", "true")

    page.get_by_role("button", name="Back").click()
    expect(page.locator(".code-pane .act")).to_have_text("Run")


def test_an_edit_the_run_before_and_a_lesson_can_stand_beside(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nx = torch.ones(2)\nx.mul_(2)\n")
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    tutor.edit()
    tutor.write("import torch\nx = torch.ones(2)\ny = x.clone()\nx.mul_(3)\n")
    compare = page.get_by_role("button", name="Compare", exact=True)
    compare.click()
    expect(page.get_by_role("button", name="The edited code")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="The edited code").click()
    expect(page.locator(".verdict.of-right")).to_contain_text("finished · x = [3., 3.]")
    page.keyboard.press("End")
    expect(page.locator(".differences li")).to_have_text(["x [2., 2.]≠[3., 3.]", "y not there≠[1., 1.]"])
    page.keyboard.press("F2")
    expect(page.locator(".cm-content")).to_contain_text("x.mul_(3)")
    expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
    tutor.run()
    compare.click()
    page.get_by_role("button", name="The previous run").click()
    expect(page.locator(".verdict.of-left")).to_contain_text("x = [2., 2.]")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".timeline:not(.pair)")).to_be_visible()
    compare.click()
    page.locator("#beside select").select_option("data-detach-and-clone")
    expect(page.locator(".verdict.of-right h2")).to_contain_text("clone")
    expect(page).to_have_url(re.compile("compare=own,data-detach-and-clone#step=2$"))
    page.reload()
    expect(page.locator(".verdict.of-left h2")).to_contain_text("Your own code")


SCREENS = [
    ((390, 844), "en-US", "dark"),
    ((360, 740), "zh-CN", "light"),
    ((1024, 768), "zh-CN", "dark"),
    ((844, 390), "en-US", "light"),
    ((720, 450), "en-US", "dark"),
    ((1920, 1080), "en-US", "light"),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("size", "locale", "theme"), SCREENS)
def test_both_fit_every_screen(visit: Visit, size: tuple[int, int], locale: str, theme: str) -> None:
    tutor = opened(visit, 8, viewport={"width": size[0], "height": size[1]}, locale=locale, color_scheme=theme)
    page = tutor.page
    parts = page.locator(".switch.parts button")
    for number in range(max(1, parts.count())):
        if parts.count() > 0:
            parts.nth(number).click()
        assert page.locator(".side.of-left .pane:visible").count() == page.locator(".side.of-right .pane:visible").count()
        for pane in page.locator(".side .pane").all():
            expect(pane).to_be_in_viewport(ratio=1)
        expect(page.locator(".timeline")).to_be_in_viewport(ratio=1)
        assert page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == list(
            size
        )
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        tutor.shoot(f"compare-{number}-{size[0]}-{theme}-{locale}")


def test_a_comparison_at_200_percent_has_room_for_both_memories(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    pictures = page.locator(".side .memory-pane .picture")
    wide = pictures.first.locator("svg").get_attribute("viewBox")
    page.set_viewport_size({"width": 720, "height": 450})  # the size of a page of 1440 x 900 at 200 % zoom
    expect(page.locator(".switch.parts [aria-pressed=true]")).to_have_text("Memory")
    expect(pictures.first.locator("svg")).not_to_have_attribute("viewBox", wide or "")
    for picture in pictures.all():
        across, whole, down = picture.evaluate("(each) => [each.clientWidth, each.scrollWidth, each.clientHeight]")
        assert (across >= 340 and down >= 200) and whole == across, "nothing is cut at the side"
    assert page.evaluate("() => document.documentElement.scrollHeight") == 450
    page.locator(".switch.parts").get_by_role("button", name="Memory").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Graph", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".side .graph-pane")).to_have_count(2)
    assert violations(page) == []


def test_what_comes_is_asked_of_both_and_no_end_is_told(visit: Visit) -> None:
    tutor = opened(visit, 7)
    page = tutor.page
    page.get_by_role("button", name="Display").click()
    page.get_by_role("switch", name="Predict before each step").click()
    page.keyboard.press("Escape")
    expect(page.locator(".verdict.of-right")).to_contain_text("How this run ended is shown at the last step")
    expect(page.locator(".differing")).to_have_count(0)
    page.locator("body").press("ArrowRight")
    expect(page.locator(".question")).to_have_count(2)
    expect(page.locator(".position b")).to_have_text("Step 7")
    tutor.shoot("compare-predict")
    page.locator("body").press("ArrowRight")
    expect(page.locator(".position b")).to_have_text("Step 8")
    expect(page.locator(".question")).to_have_count(0)
    page.keyboard.press("p")
    expect(page.locator(".header")).to_be_hidden()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".header")).to_be_visible()
    expect(page.locator(".timeline.pair")).to_be_visible()
