"""The sharing dialog: the link, its title and notes, its QR code, and the list of links that were created in this browser."""

import base64
import json
import re

import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Browser, Page, expect

from app.web.edge.public_address import addresses_of_this_machine
from tests.browser.conftest import Visit
from tests.browser.page import SCREENSHOTS, Tutor
from tests.web.server import hosted

SNIPPET = "import torch\nx = torch.ones(2)  # mine\n"
EVIL = '</title><img src=x onerror="window.owned = 1">\u202egnp'

PIXELS = """async (image) => {
    await image.decode();
    const canvas = new OffscreenCanvas(200, 200);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 200, 200);
    return btoa(String.fromCharCode(...context.getImageData(0, 0, 200, 200).data.filter((_, at) => at % 4 === 0)));
}"""


def open_sharing(tutor: Tutor) -> None:
    """Run the snippet, and press Share."""
    tutor.open("/")
    tutor.write(SNIPPET)
    tutor.run()
    tutor.page.get_by_role("button", name="Share").click()


def seen(page: Page) -> str:
    """Decode the QR code in the dialog."""
    pixels = base64.b64decode(page.locator(".sharing-qr img").evaluate(PIXELS))
    (code,) = zxingcpp.read_barcodes(np.frombuffer(pixels, np.uint8).reshape(200, 200))
    return str(code.text)


def test_whoever_made_a_link_deletes_it(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(SNIPPET)
    tutor.run()
    share, delete = tutor.page.get_by_role("button", name="Share"), tutor.page.get_by_role("button", name="Delete this link")
    link = tutor.share()
    share.click()
    expect(delete).to_be_visible()
    expect(tutor.page.get_by_role("textbox", name="Link", exact=True)).to_have_value(
        link
    )  # sharing a run again returns the same link

    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    other.page.get_by_role("button", name="Share").click()
    expect(other.page.get_by_role("textbox", name="Link", exact=True)).to_have_value(link)
    expect(other.page.get_by_role("button", name="Delete this link")).to_have_count(0)

    later = tutor.another_tab()
    later.open(link.removeprefix(tutor.url))
    later.wait()
    later.page.get_by_role("button", name="Share").click()
    later.page.get_by_role("button", name="Delete this link").click()
    expect(later.page.locator(".toast")).to_contain_text("The link is deleted.")
    expect(later.page).to_have_url(f"{tutor.url}/#step=1")
    expect(later.page.locator(".cm-content")).to_contain_text("# mine")
    assert json.loads(later.page.evaluate("localStorage.getItem('stepgrad.links')")) == []
    later.page.reload()
    expect(later.page.locator(".cm-content")).to_contain_text("# mine")
    gone = other.page.request.get(link)
    assert gone.status == 404 and "it may have been deleted" in gone.text()


UNIQUE = "import os\nx = os.urandom(8).hex()\nprint(x)\n"


def printed(tutor: Tutor) -> str:
    """Go to the last step, and return the output of the run."""
    tutor.page.locator("body").press("End")
    output = tutor.page.locator(".output pre")
    expect(output).to_have_text(re.compile(r"[0-9a-f]{16}"))
    return output.inner_text().strip()


def test_share_keeps_what_this_visitor_saw_or_says_that_it_is_gone_and_runs_again(browser: Browser) -> None:
    for settings in ({}, {"recent_bytes": "1"}):
        with hosted(**settings) as server:
            mine, other = Tutor(browser, server.url), Tutor(browser, server.url)
            seen = []
            for tutor in (mine, other):
                tutor.open("/")
                tutor.write(UNIQUE)
                tutor.run()
                seen.append(printed(tutor))
            if settings:  # the server discarded this visitor's recording when the other visitor's program ran
                mine.page.get_by_role("button", name="Share").click()
                expect(mine.page.locator(".toast")).to_contain_text("no longer has this recording, so the code runs again")
                expect(mine.page.locator(".output")).not_to_contain_text(seen[0])
                seen[0] = printed(mine)
            api = mine.share().partition("#")[0].replace("/s/", "/api/v1/snippets/")
            document = mine.page.request.get(api).json()["document"]
            assert document["trace"]["outputs"][0]["text"].strip() == seen[0] != seen[1]


def test_a_link_has_a_title_and_a_fork_says_what_it_was_changed_from(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    open_sharing(tutor)
    page.get_by_label("Title").fill("What ones() makes")
    page.get_by_label("Author").fill("Week 3")
    page.get_by_label("Author").press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Saved.")
    link = page.get_by_role("textbox", name="Link", exact=True).input_value()
    page.keyboard.press("Escape")
    expect(page.locator(".shared-heading")).to_have_text("What ones() makesby Week 3")

    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    expect(other.page).to_have_title("What ones() makes · Stepgrad")
    expect(other.page.locator(".shared-heading")).to_have_text("What ones() makesby Week 3")
    other.page.get_by_role("button", name="Edit").click()
    other.write("import torch\nx = torch.zeros(2)\n")
    expect(other.page.locator(".shared-heading")).to_have_count(0)
    other.run()
    fork = other.share()

    reader = visit()
    reader.open(fork.removeprefix(tutor.url))
    reader.wait()
    parent = reader.page.get_by_role("link", name="changed from “What ones() makes”")
    parent.click()
    reader.wait()
    expect(reader.page.locator(".cm-content")).to_contain_text("# mine")


def test_hostile_words_above_a_link_are_text(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    open_sharing(tutor)
    page.get_by_label("Title").fill(EVIL)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_contain_text("Saved.")
    page.get_by_text("1 link made in this browser").click()
    expect(page.locator(".sharing-own a")).to_contain_text("<img src=x")
    link = page.get_by_role("textbox", name="Link", exact=True).input_value()
    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    expect(other.page.locator(".shared-title")).to_contain_text(r'onerror="window.owned = 1">\u202egnp')
    for each in (page, other.page):
        assert each.evaluate("window.owned") is None


def test_a_qr_code_opens_the_step_and_none_leads_to_this_machine_alone(visit: Visit, browser: Browser) -> None:
    tutor = visit()
    open_sharing(tutor)
    tutor.page.get_by_text("QR code").click()
    why = tutor.page.locator(".sharing-qr")
    expect(why).to_contain_text("A phone cannot open this link")
    expect(why.locator("img")).to_have_count(0)
    with hosted(public_address="https://torch.example") as server:
        there = Tutor(browser, server.url)
        open_sharing(there)
        there.page.get_by_text("QR code").click()
        link = there.page.get_by_role("textbox", name="Link", exact=True)
        expect(link).to_have_value(f"https://torch.example/s/{there.page.url.split('/s/')[1]}")
        assert seen(there.page) == link.input_value()
        there.page.get_by_role("checkbox", name="Open at step").uncheck()
        assert "#" not in link.input_value() and seen(there.page) == link.input_value()
        assert there.complaints == []
        there.context.close()


def test_on_plain_http_a_link_is_selected_to_be_copied_and_the_page_works(browser: Browser) -> None:
    """In browsers, plain HTTP from another host is not a secure context. The page then has no clipboard, hashing or service
    workers.
    """
    address = next((each for each in addresses_of_this_machine() if ":" not in each), None)
    if address is None:
        pytest.skip("this machine has no address of IPv4 but its own loopback")
    with hosted(host=address, accept_tier="B") as server:
        tutor = Tutor(browser, server.url)
        page = tutor.page
        open_sharing(tutor)
        assert page.evaluate("[isSecureContext, typeof navigator.clipboard]") == [False, "undefined"]
        field = page.get_by_role("textbox", name="Link", exact=True)
        expect(field).to_be_focused()
        link = field.input_value()
        assert link.startswith(f"{server.url}/s/")
        assert page.evaluate("() => getSelection().toString()") == link
        expect(page.get_by_role("dialog").get_by_role("button", name="Copy")).to_have_count(0)
        page.get_by_text("QR code").click()
        assert seen(page) == link
        code = page.get_by_label("Link with the code")
        page.get_by_text("A link that contains the code itself").click()
        code.focus()
        assert page.evaluate("() => getSelection().toString()") == code.input_value()
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / "share-plain-http.png")
        reader = Tutor(browser, server.url)
        reader.open(link.removeprefix(server.url))
        reader.wait()
        reader.open(code.input_value().removeprefix(server.url))
        expect(reader.page.locator(".cm-content")).to_contain_text("# mine")
        for each in (tutor, reader):
            each.expect_no_complaint_but("Cross-Origin-Opener-Policy header has been ignored")
            assert each.complaints == []
            each.context.close()


def test_every_shared_page_can_be_reported(visit: Visit) -> None:
    tutor = visit()
    open_sharing(tutor)
    link = tutor.page.get_by_role("textbox", name="Link", exact=True).input_value()
    tutor.page.keyboard.press("Escape")
    expect(tutor.page.get_by_role("button", name="Report")).to_have_count(0)  # the creator of a link cannot report it
    for locale, (report, reason, send, sent) in {
        "en-US": ("Report", "Reason (optional, one line)", "Send the report", "The operator has your report."),
        "zh-CN": ("举报", "理由（可不填，一行）", "提交举报", "管理员已收到你的举报。"),
    }.items():
        other = visit(locale=locale, viewport={"width": 320, "height": 640})
        other.open(link.removeprefix(tutor.url))
        other.wait()
        other.page.get_by_role("button", name=report).click()
        other.page.get_by_label(reason).fill(EVIL)
        other.page.get_by_role("button", name=send).click()
        expect(other.page.get_by_role("dialog")).to_contain_text(sent)
        assert other.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_notes_go_with_a_link_only_where_their_sharer_says_so(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.post_data}"))
    tutor.open("/")
    tutor.write(SNIPPET)
    tutor.run(stay=True)
    page.keyboard.press("o")
    page.locator("#note").fill(f"look here\n{EVIL}")
    page.keyboard.press("Escape")
    link = tutor.share()
    assert not any("look here" in each for each in sent)
    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    expect(other.page.locator(".shared-note")).to_have_count(0)

    page.get_by_role("button", name="Share").click()
    page.get_by_role("checkbox", name="Publish my note about a step").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_contain_text("Saved.")
    reader = visit(locale="zh-CN")
    reader.open(link.removeprefix(tutor.url))
    reader.wait()
    note = reader.page.locator(".shared-note")
    expect(note).to_contain_text("分享者的备注")
    expect(note.locator("blockquote")).to_contain_text(r'onerror="window.owned = 1">\u202egnp')
    assert reader.page.evaluate("window.owned") is None
    reader.page.locator("body").press("Home")
    expect(note).to_have_count(0)  # the note belongs to another step

    page.get_by_role("checkbox", name="Publish my note about a step").uncheck()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.get_by_role("button", name="Save").click()
    api = link.removeprefix(tutor.url).partition("#")[0].replace("/s/", "/api/v1/snippets/")
    assert "notes" not in page.request.get(tutor.url + api).json()
