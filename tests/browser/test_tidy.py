"""No element of the page is cut off or overlaps another, and empty panes say what to do next."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit

LESSON = "/lessons/data-hides-the-write"
ARE_WHOLE = """(scroller) => {
    const height = parseFloat(getComputedStyle(scroller).lineHeight);
    const rows = [...scroller.querySelectorAll('.cm-line')].flatMap((line) => {
        const {top, height: all} = line.getBoundingClientRect();
        return Array.from({length: Math.round(all / height)}, (_, row) => top + row * height);
    });
    const {top, bottom} = scroller.getBoundingClientRect();
    const inSight = (row) => Math.min(row + height, bottom) - Math.max(row, top);
    return rows.length > 0 && rows.map(inSight).every((seen) => seen < 0.25 * height || seen > 0.9 * height);
}"""
CROSSED = """() => {
    const line = document.querySelector('.links .link-line');
    const at = line.getScreenCTM();
    const points = Array.from({length: 200}, (_, n) => line.getPointAtLength(line.getTotalLength() * n / 199))
        .map((point) => point.matrixTransform(at));
    return [...document.querySelectorAll('.graph .pocket-line, .graph .name-tag rect')]
        .map((shape) => shape.getBoundingClientRect())
        .map((box) => points.filter(({x, y}) => x > box.left + 1 && x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1))
        .filter((inside) => inside.length > 0).length;
}"""


def test_lines_of_code_are_whole_at_each_step(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1280, "height": 800})
    tutor.open(f"{LESSON}#step=1")
    tutor.wait()
    tutor.at_step(1)
    code = tutor.page.locator(".code-pane .cm-scroller").element_handle()  # the code pane appears when the run is shown
    for number in range(2, 16):
        tutor.page.keyboard.press(".")
        tutor.at_step(number)
        tutor.page.wait_for_function(ARE_WHOLE, arg=code)


def test_the_line_from_a_stale_saved_tensor_crosses_no_other(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open(f"{LESSON}#step=8")
    tutor.wait()
    tutor.at_step(8)
    expect(tutor.page.locator(".links .link-line")).to_have_count(1)
    assert tutor.page.evaluate(CROSSED) == 0


def test_an_empty_output_leads_to_the_first_that_is_printed(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{LESSON}#step=8")
    tutor.wait()
    tutor.at_step(8)
    tutor.page.get_by_role("tab", name="Output").click()
    tutor.page.get_by_role("button", name="First output: step 14").click()
    tutor.at_step(14)
    expect(tutor.page.locator(".output pre")).to_contain_text("tensor")


def test_a_search_without_result_shows_all_lessons_again(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.goto(f"{tutor.url}/lessons?q=nosuchword")
    page.get_by_role("button", name="Show all lessons").click()
    expect(page.locator(".card").first).to_be_visible()
    expect(page.locator("#search")).to_be_focused()
