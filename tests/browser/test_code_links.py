"""Links that contain the code in their address: the page shows the code, but runs it only when the visitor presses Run."""

import base64
import zlib
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

SOURCE = "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n"
HOSTILE = "# </script><img src=x onerror='window.owned = 1'> \u202egnp\u2066 \u200b{ $name } `S1`\nx = 1\n"
CAME = "This code came from a link and has not been run."


def code_of(content: bytes) -> str:
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packing.compress(content) + packing.flush()).decode().rstrip("=")


def link_to(source: str, more: str = "") -> str:
    return f"/#code={code_of(source.encode())}{more}"


def editor_of(page: Page) -> Any:
    return page.locator(".cm-content")


def runs_of(tutor: Tutor) -> list[str]:
    """Return a list to which the URLs of later POST requests are appended. Only POST requests run code."""
    asked: list[str] = []
    tutor.page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    return asked


def test_a_link_that_holds_the_code_is_opened_without_a_run_and_keeps_its_address(visit: Visit) -> None:
    tutor = visit()
    asked = runs_of(tutor)
    path = link_to(SOURCE, "&step=4&by=line")
    tutor.open(path)
    page = tutor.page
    expect(page.locator(".notice")).to_contain_text(CAME)
    expect(editor_of(page)).to_contain_text("requires_grad=True")
    expect(page).to_have_url(tutor.url + path)
    page.reload()
    expect(page.locator(".notice")).to_contain_text(CAME)
    assert asked == []
    tutor.run(stay=True)
    tutor.at_step(4)
    expect(page).to_have_url(tutor.url + path)
    tutor.edit()
    tutor.write("x = 2\n")
    expect(page).to_have_url(f"{tutor.url}/")
    assert page.evaluate("localStorage.getItem('stepgrad.draft')") == "x = 2\n"


def test_the_draft_stays_until_the_code_of_a_link_is_edited(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("mine = 1\n")
    tutor.page.evaluate("path => location.assign(path)", link_to(SOURCE))  # only the hash changes
    expect(tutor.page.locator(".notice")).to_contain_text(CAME)
    expect(editor_of(tutor.page)).to_contain_text("requires_grad=True")
    expect(tutor.page).to_have_url(tutor.url + link_to(SOURCE))
    later = tutor.another_tab()
    later.open("/")
    expect(editor_of(later.page)).to_contain_text("mine = 1")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_page_that_runs_as_one_types_runs_no_code_of_a_link(visit: Visit, ends: str) -> None:
    """The editor normalises line endings, which must not count as an edit. An edit would run the code and replace the draft."""
    tutor = visit()
    tutor.context.add_init_script("localStorage.setItem('stepgrad.live', 'on')")
    asked = runs_of(tutor)
    tutor.open("/")
    for path in (link_to(f"x = 1{ends}y = 2{ends}"), link_to(f"x = 1{ends}z = 3{ends}", "&step=1")):
        tutor.page.evaluate("path => location.assign(path)", path)
        expect(editor_of(tutor.page)).to_contain_text("z = 3" if path.endswith("=1") else "y = 2")
        expect(tutor.page.locator(".notice")).to_contain_text(CAME)
    tutor.page.reload()
    expect(tutor.page.locator(".notice")).to_contain_text(CAME)
    tutor.page.evaluate("() => new Promise(requestIdleCallback)")
    assert asked == []
    assert tutor.page.evaluate("localStorage.getItem('stepgrad.draft')") is None


def test_hostile_code_is_text(visit: Visit) -> None:
    tutor = visit()
    tutor.open(link_to(HOSTILE))
    page = tutor.page
    expect(editor_of(page)).to_contain_text("</script><img src=x")
    special = editor_of(page).locator(".cm-specialChar")
    expect(special).to_have_count(3)
    assert page.evaluate("window.owned") is None
    assert page.locator("img[src=x]").count() == 0


BOMB = code_of(b"x" * (40 << 20))
REFUSED: dict[str, tuple[str, str]] = {
    "garbage": (quote("<script>alert(1)</script>"), "cannot be decompressed"),
    "nothing": ("", "cannot be decompressed"),
    "truncated": (code_of(SOURCE.encode())[:-9], "cannot be decompressed"),
    "bomb": (BOMB, "longer than this server accepts"),
    "not UTF-8": (code_of(b"x = '\xff\xfe'"), "not valid UTF-8"),
    "NUL": (code_of(b"x = 1\0"), "NUL character"),
    "blank": (code_of(b" \n"), "contains no code"),
}


@pytest.mark.parametrize(("code", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_said_in_one_sentence(visit: Visit, code: str, sentence: str) -> None:
    tutor = visit()
    asked = runs_of(tutor)
    tutor.open(f"/#code={code}&step=2")
    expect(tutor.page.get_by_role("alert")).to_contain_text(sentence)
    expect(editor_of(tutor.page)).to_contain_text("import torch")
    expect(tutor.page).to_have_url(f"{tutor.url}/")
    assert asked == []


@pytest.mark.parametrize(
    "absent", ["delete globalThis.DecompressionStream", "DecompressionStream = class { constructor() { throw 1; } }"]
)
def test_a_browser_that_cannot_unpack_says_so_in_both_languages(visit: Visit, absent: str) -> None:
    for locale, sentence in (("en-US", "This browser is too old"), ("zh-CN", "这个浏览器太旧")):
        tutor = visit(locale=locale)
        tutor.context.add_init_script(absent)
        tutor.open(link_to(SOURCE))
        expect(tutor.page.get_by_role("alert")).to_contain_text(sentence)


def test_the_dialog_offers_the_link_and_says_how_long_it_is(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(SOURCE)
    tutor.run()
    tutor.step_to(3)
    page = tutor.page
    page.get_by_role("button", name="Share").click()
    page.get_by_text("A link that contains the code itself").click()
    field = page.get_by_label("Link with the code")
    link = field.input_value()
    assert "&step=3" in link
    expect(page.get_by_role("dialog")).to_contain_text(f"{len(link)} characters long.")
    page.get_by_role("checkbox", name="Open at step").uncheck()
    expect(field).to_have_value(link.removesuffix("&step=3"))
    other = visit()
    other.open(link.removeprefix(tutor.url))
    expect(other.page.locator(".notice")).to_contain_text(CAME)
    other.run(stay=True)
    other.at_step(3)


def refusing(body: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=507, body=body, content_type="application/json")


def test_where_the_store_takes_nothing_the_code_is_in_the_link(visit: Visit) -> None:
    """If the code is too long for a link, the page shows why it cannot be shared."""
    tutor = visit()
    tutor.page.route("**/api/v1/snippets", refusing('{"error": "store_full", "message": "Full.", "hint": ""}'))
    tutor.open("/")
    tutor.write(SOURCE)
    page = tutor.page
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Link with the code")).to_be_focused()
    page.keyboard.press("Escape")
    chance = Random(0)
    tutor.write("\n".join(f"x{number} = {chance.getrandbits(64)}" for number in range(700)))
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog")).to_contain_text("This code is too long for such a link: it would have")
    expect(page.get_by_label("Link with the code")).to_have_count(0)
    tutor.expect_no_complaint_but("507")
