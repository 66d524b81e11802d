"""The layout of a room: its card with the code, its bar and its windows, in all sizes, languages and themes."""

import base64

import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_links import PIXELS
from tests.browser.test_page import TOO_SMALL
from tests.browser.test_rooms import join, projected, taught
from tests.browser.test_small import OUTSIDE
from tests.web.server import hosted


def seen(page: Page) -> str:
    """Decode the QR code on the card."""
    pixels = base64.b64decode(page.locator(".join-card img").evaluate(PIXELS))
    (code,) = zxingcpp.read_barcodes(np.frombuffer(pixels, np.uint8).reshape(200, 200))
    return str(code.text)


def test_the_card_says_how_to_join(visit: Visit, browser: Browser) -> None:
    alone = visit()
    taught(alone)
    alone.page.keyboard.press("j")
    expect(alone.page.locator(".join-card")).to_contain_text("its address works only on this machine")
    alone.page.keyboard.press("Escape")
    expect(alone.page.locator(".join-card")).to_be_hidden()
    with hosted(public_address="https://torch.example") as server:
        teacher = Tutor(browser, server.url)
        code = taught(teacher)
        page = teacher.page
        page.get_by_role("button", name="How to join").click()
        expect(page.locator(".join-address")).to_have_text(f"torch.example/r/{code}")
        expect(page.locator(".join-code")).to_contain_text(code)
        assert seen(page) == f"https://torch.example/r/{code}"
        for width, height in ((1920, 1080), (1024, 768), (390, 844), (320, 640)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("() => document.querySelector('.join-card').scrollHeight <= innerHeight")
            assert page.evaluate("() => document.querySelector('.join-card').scrollWidth <= innerWidth")
            teacher.shoot(f"room-card-{width}")
        assert violations(page) == []
        teacher.context.close()


BAR = """() => {
    const bar = document.querySelector('.room-bar').getBoundingClientRect();
    const over = document.querySelector('.app').getBoundingClientRect();
    return [bar.bottom === innerHeight, bar.right <= innerWidth, over.bottom <= bar.top + 0.5,
        [...document.querySelectorAll('.room-bar > *')].every((each) => {
            const box = each.getBoundingClientRect();
            return box.left >= -0.5 && box.right <= innerWidth + 0.5 && box.top >= bar.top - 0.5 && box.bottom <= bar.bottom + 0.5;
        })];
}"""


@pytest.mark.sweep
@by_look((390, 844), (320, 640), (1440, 900), (1024, 768))
def test_the_bar_fits_every_page(visit: Visit, look: Look) -> None:
    is_phone = look["viewport"]["width"] < 800
    teacher = visit()
    code = taught(teacher)
    student = visit(**look, has_touch=is_phone, is_mobile=is_phone)
    page = join(student, code)
    words = page.locator(".room-words")
    following = words.inner_text()
    box = page.locator(".room-bar").bounding_box()
    boxes = student.boxes()
    for act in (None, "wander"):
        if act == "wander":
            page.get_by_role("button", name="Next step" if look["locale"] == "en-US" else "下一步").click()
            expect(words).not_to_have_text(following)
        page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert page.evaluate(OUTSIDE) == [] or not is_phone
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        student.shoot(f"room-student-{act or 'follow'}-{name_of(look)}")
    assert page.locator(".room-bar").bounding_box() == box
    assert student.boxes().keys() == boxes.keys()


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_the_page_of_whoever_teaches(visit: Visit, width: int, height: int) -> None:
    for locale, theme in (("en-US", "dark"), ("zh-CN", "light")):
        teacher = visit(color_scheme=theme)
        code = taught(teacher)
        if locale == "zh-CN":
            teacher.page.get_by_role("button", name="中文").click()
        teacher.page.set_viewport_size({"width": width, "height": height})
        teacher.page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert violations(teacher.page) == []
        teacher.shoot(f"room-teacher-{width}-{locale[:2]}")
        teacher.page.locator(".room-bar .room-code").click()
        assert violations(teacher.page) == []
        teacher.shoot(f"room-about-{width}-{locale[:2]}")
        assert code in teacher.page.url


def test_the_projector_shows_the_picture_on_either_size(visit: Visit) -> None:
    teacher = visit()
    taught(teacher)
    window = projected(teacher)
    for width, height in ((1920, 1080), (1024, 768)):
        window.page.set_viewport_size({"width": width, "height": height})
        window.page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert violations(window.page) == []
        window.shoot(f"room-projector-{width}")
