"""The course: lessons by keyboard, questions with answers that appear after the run, back navigation, and search."""

import re

import pytest
from playwright.sync_api import expect

from app.lessons import changed, lessons
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look

SILENT = "data-hides-the-write"


def test_a_lesson_by_keys_alone(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"/lessons/{SILENT}")
    page = tutor.page
    expect(page.get_by_role("heading", level=1)).to_have_text("A write through .data")
    expect(page.get_by_role("button", name="Predict and run")).to_be_disabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("radio").first).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    page.keyboard.press("Enter")
    verdict = page.locator(".lesson-verdict")
    expect(verdict.locator(".answer")).to_contain_text("You predicted B. What happens:")
    expect(verdict.locator(".answer")).to_contain_text("tensor([1.])")
    expect(verdict.locator(".claim-verdict")).to_contain_text("The claim is false")
    expect(verdict.locator(".proof-from.confirmed")).to_have_count(2)
    expect(page.locator(".position-line")).to_have_text("line 11")

    before = tutor.positions()
    terms = verdict.locator(".term").count()
    for _ in range(terms + 2):  # Tab passes the glossary links in the explanation
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=re.compile("^w2.grad"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".position-line")).to_have_text("line 12")
    expect(page.locator(".subject")).to_have_text("w2.grad")
    expect(page.locator(".proof[aria-pressed=true]")).to_contain_text("tensor([1.])")
    after = tutor.positions()
    assert all(after[key] == place for key, place in before.items() if key in after), "nothing moves"

    page.keyboard.press(",")
    expect(page.locator(".story")).not_to_contain_text("The proof")
    page.get_by_role("button", name="Verdict").press("Enter")
    page.get_by_role("link", name=re.compile("^Next lesson: ")).last.press("Enter")
    following = lessons()[[lesson.slug for lesson in lessons()].index(SILENT) + 1]
    expect(page).to_have_url(f"{tutor.url}/lessons/{following.slug}")

    tutor.page.goto(f"{tutor.url}/lessons")
    expect(page.locator(f"#{SILENT} .card-mark")).to_have_text("predicted incorrectly")
    expect(page.locator(".progress-words")).to_contain_text(f"1 of {len(lessons())} done")


def test_the_answer_is_told_after_the_run_alone_and_an_edit_makes_the_lesson_step_back(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"/lessons/{SILENT}")
    page = tutor.page
    lesson = next(each for each in lessons() if each.slug == SILENT)
    expect(page.locator(".ask")).to_be_visible()
    told = page.evaluate("() => document.querySelector('#app').innerText")
    assert lesson.why.en.replace("`", "") not in told and "wrong" not in told
    tutor.run(stay=True)
    expect(page.locator(".lesson-verdict")).to_have_count(0)
    expect(page).to_have_url(f"{tutor.url}/lessons/{SILENT}#step=2")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".answer")).to_contain_text("What happens:")
    page.get_by_role("button", name="Broken | fixed, side by side").click()
    expect(page).to_have_url(re.compile(rf"\?compare={SILENT},{SILENT}/fixed#step=6$"))
    page.reload()
    expect(page.locator(".verdict.of-right h2")).to_contain_text("fixed")
    tutor.open(f"/lessons/{SILENT}")
    tutor.write("import torch\nx = torch.ones(2)\n")
    expect(page).to_have_url(f"{tutor.url}/")
    expect(page.locator(".lesson-panel")).to_contain_text("You have changed the code")
    tutor.run()
    expect(page.locator(".verdict-switch")).to_have_count(0)
    page.get_by_role("navigation", name="The course").get_by_role("link", name="Back to the lesson").click()
    expect(page.locator(".ask")).to_be_visible()


def test_a_change_of_ones_own_is_checked_by_its_run(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"/lessons/{SILENT}")
    page = tutor.page
    lesson = next(each for each in lessons() if each.slug == SILENT)
    page.get_by_role("button", name="Just run it").click()
    task = page.locator(".now-try")
    expect(task).to_contain_text("Change line 8")
    expect(task.locator(".one-way code")).to_be_hidden()
    tutor.edit()
    tutor.write(lesson.snippet.source.replace("d_ = d.data", "d_ = d.data  # .detach()"))
    tutor.run()
    expect(task).to_have_count(0)
    page.get_by_role("button", name="Now try").click()
    expect(task).to_contain_text("Not yet")
    expect(task.locator(".conditions .fails").first).to_contain_text("the run raises RuntimeError")
    page.goto(f"{tutor.url}/lessons")
    expect(page.locator(f"#{SILENT} .card-mark")).to_have_text("run, not predicted")
    expect(page.locator(".progress-words")).to_have_text("Not started")

    tutor.open(f"/lessons/{SILENT}")
    page.get_by_role("button", name="Just run it").click()
    expect(task).to_be_visible()
    tutor.edit()
    tutor.write(changed(lesson))
    tutor.run(stay=True)
    expect(task).to_contain_text("Done: your run passes the checks.")
    expect(task.locator(".conditions .holds")).to_have_count(4)
    page.goto(f"{tutor.url}/lessons")
    expect(page.locator(f"#{SILENT} .card-mark").last).to_have_text("change made")
    expect(page.locator(".progress-words")).to_contain_text(f"1 of {len(lessons())} done")


def test_the_fixed_program_has_a_page(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"/lessons/{SILENT}/fixed")
    page = tutor.page
    page.locator(".lesson-panel").get_by_role("button", name="Run").click()
    expect(page.locator(".lesson-verdict")).to_contain_text("This is the correct way.")
    expect(page).to_have_url(re.compile(rf"/lessons/{SILENT}/fixed#step=\d+$"))


def test_the_search(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.goto(f"{tutor.url}/lessons")
    expect(page.locator("#search")).to_be_visible()
    expect(page.locator(".card")).to_have_count(len(lessons()))
    page.keyboard.press("/")
    page.keyboard.type("WRITING to either is safe")
    expect(page.locator(".card").first).to_have_attribute("id", SILENT)
    expect(page.locator(".search-found")).to_contain_text("found")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".card-link").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.type(" zebra")
    expect(page.get_by_text("No lesson matches")).to_be_visible()
    expect(page.locator(".search-found")).to_have_text("Nothing found")
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_have_count(len(lessons()))
    page.get_by_role("button", name="中文").click()
    page.keyboard.press("/")
    page.keyboard.type("写哪个都不影响梯度")
    expect(page.locator(".card")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{tutor.url}/lessons/{SILENT}")
    expect(page.locator(".ask")).to_contain_text("会发生什么？")
    expect(page).to_have_title("通过 .data 写入 · Stepgrad")
    page.go_back()
    expect(page.locator("#search")).to_have_value("写哪个都不影响梯度")


@pytest.mark.sweep
@by_look()
def test_gallery_and_lesson_have_no_violation(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    page.goto(f"{tutor.url}/lessons")
    expect(page.locator("#search")).to_be_visible()
    assert violations(page) == []
    page.locator("#search").fill("detach")
    expect(page.locator(".card mark").first).to_be_visible()
    assert violations(page) == []
    tutor.open(f"/lessons/{SILENT}")
    assert violations(page) == []
    page.locator(".choice").nth(2).click()
    page.locator(".ask .primary").click()
    expect(page.locator(".answer.said-right")).to_be_visible()
    assert violations(page) == []
