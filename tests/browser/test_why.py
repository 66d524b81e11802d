"""Explain a value: a chain from the selected gradient back through backward to the values it was computed from."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_rooms import join, line, projected, taught
from tests.web.server import Running


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


def ask(tutor: Tutor, name: str) -> None:
    """Select a variable in Memory, and press the key that explains its value."""
    tutor.page.locator(".memory [data-label]").filter(has_text=re.compile(f"^{name}$")).first.click()
    expect(tutor.page.locator(".changes-bar")).to_be_visible()
    tutor.page.keyboard.press("Y")


def test_a_wrong_gradient_leads_back_to_the_line_that_wrote(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "w2")
    why = page.locator(".why")
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
    expect(why.locator("li")).to_have_count(4)
    expect(why.locator("li").nth(1)).to_contain_text("selfᵀ @ grad")
    expect(why.locator("li").nth(2)).to_contain_text("self = d was [[4.]] when it was saved. Line 11 has changed it to [[1.]]")
    expect(page.locator(".graph .chain-number")).to_have_text(["1", "2–3"])
    expect(page.locator(".memory .chain-number")).to_have_text(["1", "2"])
    expect(why.locator("li[data-hop]")).to_have_count(3)
    expect(page.locator(".graph .edge.chained")).to_have_count(1)
    lit = page.locator(".cm-line.highlighted-line")
    expect(lit.filter(has_text="f = torch.matmul(d, w2)")).to_have_count(1)
    expect(lit.filter(has_text="d_[:] = 1")).to_have_count(1)
    why.locator("li").nth(2).hover()
    expect(page.locator(".graph [data-saved].highlighted")).to_have_count(1)
    why.locator("li").nth(2).get_by_role("button").click()
    tutor.at_step(8)
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
    expect(why.locator("li").nth(2).get_by_role("button")).to_have_attribute("aria-current", "step")
    page.keyboard.press("Y")
    expect(why).to_have_count(0)
    page.get_by_role("button", name="Why?").click()
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad None?")
    why.get_by_role("button", name="Close").click()
    expect(why).to_have_count(0)
    expect(page.locator(".chain-number, .edge.chained")).to_have_count(0)


SHARED = """import torch

a = torch.tensor(3.0, requires_grad=True)
d = a * 2
y = d * d + a
y.backward()
(a * 4).backward()
"""


def test_the_chain_follows_the_part_that_is_pressed(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.write(SHARED)
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "a")
    why = page.locator(".why")
    parts = why.locator(".why-parts").first
    expect(parts.locator(".why-part > code:first-child")).to_have_text(["1.", "24.", "4."])
    expect(parts).to_contain_text(re.compile(r"=\s*29\."))
    expect(parts).to_contain_text("The chain continues with term 3 of 3.")
    parts.get_by_role("button", name="24.").click()
    expect(page).to_have_url(re.compile(r"&why=tensor\.0\.12-0\.1$"))
    expect(why.locator("li").nth(1)).to_contain_text("MulBackward0 of line 4 sent the gradient 24.0")
    sum_of_d = why.locator(".why-parts").nth(1)
    expect(sum_of_d).to_contain_text("The chain continues with term 1 of 2.")
    sum_of_d.get_by_role("button").nth(1).click()
    expect(page).to_have_url(re.compile(r"&why=tensor\.0\.12-0\.1-1\.1$"))
    told = why.inner_text()
    page.reload()
    tutor.wait()
    expect(why).to_have_text(told, use_inner_text=True)
    parts.get_by_role("button", name="1. from AddBackward0").click()
    expect(page).to_have_url(re.compile(r"&why=tensor\.0\.12-0\.0$"))
    expect(why.locator("li").nth(1)).to_contain_text("AddBackward0 of line 5")


def test_a_long_chain_is_folded_in_the_middle(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.write(
        "import torch\n\na = torch.tensor(1.0, requires_grad=True)\ny = a\nfor i in range(20):\n    y = y * 1.5\ny.backward()\n"
    )
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "a")
    why = page.locator(".why")
    expect(why.locator("li")).to_have_count(12)
    expect(why.locator("li").last).to_contain_text("Backward began with")
    why.get_by_role("button", name="11 more links").click()
    expect(why.locator("li")).to_have_count(22)
    expect(why.get_by_role("button", name="more links")).to_have_count(0)


def test_it_is_answered_in_chinese(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    tutor.open()
    tutor.page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    tutor.page.locator("body").press("End")
    ask(tutor, "f")
    why = tutor.page.locator(".why")
    expect(why.get_by_role("heading")).to_have_text("f 为什么是 [12.]？")
    expect(why.locator("li").first).to_contain_text("第 9 行")


def test_the_question_stands_in_the_address(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "w2")
    why = page.locator(".why")
    expect(why.locator("li")).to_have_count(4)
    told = why.inner_text()
    expect(page).to_have_url(re.compile(r"&why=tensor\.\d+\.15$"))
    page.locator("body").press("Home")
    expect(page).to_have_url(re.compile(r"#step=1&why=tensor\.\d+\.15$"))
    page.reload()
    tutor.wait()
    tutor.at_step(1)
    expect(why).to_have_text(told, use_inner_text=True)
    page.locator("body").press("p")
    expect(page.locator("html")).to_have_attribute("data-presenting", "on")
    expect(why).to_be_visible()
    page.locator("body").press("p")

    page.locator(".header .share").click()
    page.get_by_role("checkbox", name="As I see it now").check()
    link = page.get_by_role("textbox", name="Link", exact=True).input_value().removeprefix(tutor.url)
    assert link.count("why=") == 1, link
    other = visit()
    other.open(link)
    other.wait()
    expect(other.page.locator(".why")).to_have_text(told, use_inner_text=True)
    other.page.locator(".why").get_by_role("button", name="Close").click()
    expect(other.page).not_to_have_url(re.compile("why="))
    for foreign in (
        "tensor.99.15",
        "tensor.2.99",
        "grad.2",
        "node.2.15",
        "tensor.2.15.line",
        "tensor.2.15-1",
        "tensor.2.15-1.2.operator",
        "tensor.2.1e1",
        "__proto__",
        "%00",
    ):
        other.page.goto("about:blank")
        other.open(f"{link.partition('#')[0]}#step=2&why={foreign}")
        other.wait()
        other.at_step(2)
        expect(other.page.locator(".why")).to_have_count(0)
        expect(other.page).to_have_url(re.compile("#step=2$"))
    assert other.complaints == []


def test_an_address_with_a_question_alone_keeps_the_pins(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "w2")
    page.locator("body").press("k")
    expect(page.locator(".pins-button")).to_be_visible()
    page.reload()
    tutor.wait()
    expect(page.locator(".why")).to_be_visible()
    expect(page.locator(".pins-button")).to_be_visible()


def test_a_class_sees_what_its_teacher_asks(visit: Visit) -> None:
    teacher, student = visit(), visit(locale="zh-CN")
    code = taught(teacher)
    there = join(student, code)
    window = projected(teacher)
    ask(teacher, "w2")
    expect(teacher.page.locator(".why")).to_be_visible()
    expect(window.page.locator(".why")).to_have_text(teacher.page.locator(".why").inner_text(), use_inner_text=True)
    expect(there.locator(".why h3")).to_contain_text("w2.grad 为什么是")
    expect(line(there)).to_have_text("你正在跟随老师。")
    teacher.front().keyboard.press("Y")
    for page in (teacher.page, window.page, there):
        expect(page.locator(".why")).to_have_count(0)
    expect(line(there)).to_have_text("你正在跟随老师。")


def test_a_part_of_a_lecture_answers_what_its_teacher_asked(visit: Visit, client: httpx.Client, tmp_path: Path) -> None:
    parts = [{"lesson": "data-hides-the-write", "at": "step=15", "view": "why=tensor.2.15"}]
    made = client.post("/api/v1/lectures", json={"title": "Why", "parts": parts}).json()
    tutor = visit()
    page = tutor.page
    page.goto(f"{tutor.url}{made['url']}")
    why = page.locator("#part-1 .why")
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
    expect(why.locator("li")).to_have_count(4)
    expect(why.get_by_role("button", name="Go to step")).to_have_count(0)
    page.get_by_role("button", name="Step through").click()
    why.get_by_role("button", name="Go to step 8").click()
    expect(page.locator("#part-1 .lecture-bar")).to_contain_text("Step 8 of 15")

    path = tmp_path / "lecture.html"
    path.write_bytes(client.get(f"/api/v1/lectures/{made['id']}/lecture.html").content)
    tutor.context.set_offline(True)
    page.goto(path.as_uri())
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
