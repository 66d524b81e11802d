"""Lectures: created in presenter mode, read, stepped through, edited, deleted, and read from a file without a network."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Held, Tutor
from tests.web.server import Running

LESSON = "data-hides-the-write"
HOSTILE = '</script><img src=x onerror="window.owned=1"> `x` \u202egnp'


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


def published(client: httpx.Client) -> dict[str, Any]:
    """Publish a lecture with notes in English, Chinese or both. The parts of the lecture are a link and lessons."""
    source = client.get(f"/api/v1/lessons/{LESSON}").json()["snippet"]["source"]
    link = client.post("/api/v1/snippets", json={"source": source}).json()["id"]
    question = {"kind": "grad", "after": 30, "until": 66, "tensor": 2}
    tally = [[{"kind": "number", "number": 4.0}, 9], [{"kind": "number", "number": 1.0}, 3]]
    parts = [
        {"snippet": link, "at": "step=5", "note": {"en": "Both `d` here.", "zh-CN": "这里是 `d`。"}},
        {"snippet": link, "at": "step=8", "note": {"en": "Only English."}, "question": question, "tally": tally},
        {
            "lesson": "views-follow-their-base",
            "at": "step=4",
            "note": {"zh-CN": "只有中文。"},
            "marked": {"kind": "line", "id": 5},
        },
        {"lesson": "a-first-gradient", "at": "step=8"},
    ]
    made: dict[str, Any] = client.post("/api/v1/lectures", json={"title": "Views", "author": "Week 3", "parts": parts}).json()
    return {**made, "parts": parts}


def part(page: Page, number: int) -> Any:
    """Return the part with this number after its picture was drawn."""
    found = page.locator(f"#part-{number}")
    found.scroll_into_view_if_needed()
    expect(found.locator(".lecture-figure")).to_be_visible()
    return found


def presented(tutor: Tutor) -> Page:
    """Show two steps of a lesson in presenter mode until the page has noted both for a lecture."""
    tutor.open(f"/lessons/{LESSON}#step=5")
    tutor.wait()
    page = tutor.page
    page.keyboard.press("p")
    for count in (1, 2):
        page.wait_for_function(
            "(count) => JSON.parse(sessionStorage.getItem('stepgrad.lecture') ?? '[]').length === count",
            arg=count,
        )
        if count == 1:
            page.keyboard.press("PageDown")
    return page


def test_what_is_presented_becomes_a_lecture_that_is_mended_and_deleted(visit: Visit) -> None:
    tutor = visit()
    page = presented(tutor)
    page.get_by_role("button", name="Make a lecture").click()
    dialog = page.get_by_role("dialog", name="Make a lecture")
    dialog.get_by_label("Title").fill(HOSTILE)
    dialog.get_by_label("Note on part 1 in English").fill("The first thing to sya.")
    dialog.get_by_role("button", name="Move part 2 up").click()
    dialog.get_by_label("Note on part 1 in Chinese").fill("先说这个。")
    assert violations(page) == []
    dialog.get_by_role("button", name="Publish 2 parts").click()
    link = dialog.get_by_label("Link")
    expect(link).to_have_value(re.compile(r"/l/[A-Za-z0-9]{11}$"))
    page.goto(link.input_value())
    expect(page.locator("h1")).to_contain_text("<img src=x")
    assert page.evaluate("() => window.owned") is None
    expect(part(page, 1).locator(".lecture-note")).to_have_text("先说这个。")
    expect(part(page, 1).locator(".lecture-note")).to_have_attribute("lang", "zh-CN")
    expect(part(page, 1)).to_contain_text("Step 6 of 15, line 8")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Note on part 2 in English").fill("The first thing to say.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#part-2 .lecture-note")).to_have_text("The first thing to say.")
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Delete this lecture").click()
    expect(page.locator(".code-pane")).to_be_visible()
    tutor.complaints.clear()  # the browser logs an error for the 404
    answer = page.goto(link.input_value() if link.count() else f"{tutor.url}/l/deleted")
    assert answer is not None and answer.status == 404
    tutor.complaints.clear()


def test_a_note_that_is_typed_while_it_is_published_is_in_it(visit: Visit) -> None:
    tutor = visit()
    page = presented(tutor)
    page.get_by_role("button", name="Make a lecture").click()
    dialog = page.get_by_role("dialog", name="Make a lecture")
    held = Held(page, "**/api/v1/snippets")
    dialog.get_by_role("button", name="Publish 2 parts").click()
    held.wait()
    dialog.get_by_label("Note on part 1 in English").fill("Typed meanwhile.")
    held.release()
    dialog.get_by_role("link", name="Read it").click()
    expect(page.locator("#part-1 .lecture-note")).to_have_text("Typed meanwhile.")


def test_a_lecture_is_among_the_links_of_its_browser(visit: Visit) -> None:
    tutor = visit()
    page = presented(tutor)
    page.get_by_role("button", name="Make a lecture").click()
    dialog = page.get_by_role("dialog", name="Make a lecture")
    dialog.get_by_label("Title").fill("Week 3")
    dialog.get_by_role("button", name="Publish 2 parts").click()
    expect(dialog.get_by_role("link", name="Read it")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Leave presenter mode").click()
    page.locator(".header").get_by_role("button", name="Share").click()
    page.get_by_role("tab", name="Class").click()
    made = page.locator(".lectures-own")
    made.locator("summary").click()
    expect(made.get_by_role("link")).to_have_text("Week 3")
    made.get_by_role("button", name="Delete").click()
    expect(page.locator("dialog.sharing")).to_contain_text("The lecture was deleted.")
    expect(made).to_have_count(0)


@pytest.mark.sweep
@pytest.mark.parametrize("look", [{"locale": "en-US"}, {"color_scheme": "dark", "locale": "zh-CN"}])
@pytest.mark.parametrize("width", [1440, 1024, 390, 320])
def test_it_is_read_at_any_width(visit: Visit, client: httpx.Client, look: dict[str, Any], width: int) -> None:
    tutor = visit(**look, viewport={"width": width, "height": 844})
    page = tutor.page
    page.goto(f"{tutor.url}{published(client)['url']}")
    is_english = look["locale"] == "en-US"
    notes = ["Both d here." if is_english else "这里是 d。", "Only English.", "只有中文。"]
    for number in range(1, 5):
        part(page, number)
    assert page.locator(".lecture-note").all_inner_texts() == notes
    expect(page.locator("#part-2 .tally-count")).to_have_text(["9", "3"])
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#part-3 .embed-code li.marked").count() == 1
    if width in (1440, 390):
        assert violations(page) == []


def test_a_part_is_still_until_it_is_pressed_and_then_stepped(visit: Visit, client: httpx.Client) -> None:
    tutor = visit()
    page = tutor.page
    page.goto(f"{tutor.url}{published(client)['url']}")
    second = part(page, 2)
    expect(second.locator(".lecture-bar")).to_contain_text("Step 8 of 15, line 11")
    expect(second.get_by_role("slider")).to_have_count(0)
    second.get_by_role("button", name="Step through").click()
    expect(second.locator(".lecture-next")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(second.locator(".lecture-bar")).to_contain_text("Step 9 of 15, line 12")
    expect(second.locator(".lecture-story")).to_contain_text("MvBackward0")
    expect(second.locator(".embed-code .now")).to_contain_text("f.backward()")
    second.get_by_role("slider").fill("2")
    expect(second.locator(".lecture-bar")).to_contain_text("Step 2 of 15")
    second.locator("summary").click()
    expect(second.locator(".lecture-asked details b")).to_have_text("1.")
    expect(part(page, 1).locator(".lecture-bar")).to_contain_text("Step 5 of 15")
    page.get_by_role("button", name="中文").click()
    expect(second.locator(".lecture-bar")).to_contain_text("第 2 步，共 15 步")
    assert violations(page) == []


def test_a_wrong_gradient_is_next_to_the_correct_one(visit: Visit, client: httpx.Client) -> None:
    tutor = visit()
    tutor.page.goto(f"{tutor.url}{published(client)['url']}")
    second = part(tutor.page, 2)
    second.get_by_role("button", name="Step through").click()
    tutor.page.keyboard.press("End")
    expect(second.locator(".graph-pane .wrong").first).to_contain_text("≠")


def test_few_pictures_are_drawn_at_once_and_all_for_paper(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.add_init_script("window.print = () => { window.printed = document.querySelectorAll('.lecture-figure').length }")
    page.goto(f"{tutor.url}/lectures/graph-and-leaves")
    for number in (1, 4, 7, 10, 12):
        part(page, number)
        assert page.locator(".lecture-figure").count() <= 8
    page.get_by_role("button", name="Print").click()
    page.wait_for_function("() => window.printed === 12")
    page.emulate_media(media="print")
    expect(page.locator(".lecture-acts")).to_be_hidden()


def test_the_plans_are_listed_and_lead_to_their_lessons(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    page = tutor.page
    page.goto(f"{tutor.url}/lessons")
    page.get_by_role("link", name="教师可用：三份现成的讲义。").click()
    expect(page.locator(".lecture-list li")).to_have_count(3)
    assert violations(page) == []
    page.get_by_role("link", name="没有报错的错误梯度").click()
    first = part(page, 1)
    expect(first.locator(".lecture-note")).to_contain_text("一个两层的小网络")
    first.get_by_role("link", name="在 Stepgrad 中打开").click()
    expect(page.locator(".position b")).to_contain_text("6")
    assert page.url.endswith("/lessons/data-hides-the-write#step=6")


def test_its_file_is_read_without_a_network(visit: Visit, client: httpx.Client, tmp_path: Path) -> None:
    made = published(client)
    path = tmp_path / "lecture.html"
    path.write_bytes(client.get(f"/api/v1/lectures/{made['id']}/lecture.html").content)
    tutor = visit()
    page = tutor.page
    tutor.context.set_offline(True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator("h1")).to_have_text("Views")
    expect(page.locator(".lecture-author")).to_have_text("by Week 3")
    for number in range(1, 5):
        part(page, number)
    third = part(page, 3)
    third.get_by_role("button", name="Step through").click()
    page.keyboard.press("ArrowRight")
    expect(third.locator(".lecture-bar")).to_contain_text("Step 5 of 16")
    expect(page.locator(".lecture-acts")).not_to_contain_text("Report")
    assert "lecture-" not in page.locator("main").inner_text()
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#part-1 .lecture-note")).to_have_text("这里是 d。")
    assert [url[:60] for url in asked if not url.startswith(("file://", "data:font/"))] == []


def test_a_part_whose_link_was_deleted_says_so(visit: Visit, client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": "import torch\nx = torch.ones(2)\n"}).json()
    parts = [{"snippet": link["id"], "at": "step=2", "note": {"en": "It was here."}}]
    made = client.post("/api/v1/lectures", json={"parts": parts}).json()
    client.delete(f"/api/v1/snippets/{link['id']}", headers={"X-Deletion-Token": link["deletion_token"]})
    tutor = visit()
    page = tutor.page
    page.goto(f"{tutor.url}{made['url']}")
    expect(page.locator("#part-1 .lecture-note")).to_have_text("It was here.")
    expect(page.locator("#part-1 .lecture-gone")).to_have_text("The recording that this part showed was deleted.")
    expect(page.locator(".lecture-figure")).to_have_count(0)
