"""A recording in an `<iframe>` on another origin: only allowed origins can embed it, and the frame can only play the
recording.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.browser.axe import violations
from tests.browser.frames import as_script, course
from tests.browser.page import SCREENSHOTS, Tutor
from tests.browser.test_code_links import link_to
from tests.browser.test_standalone import HOSTILE
from tests.waiting import wait_until
from tests.web.server import Hosted, hosted

LESSON = Path("app/lessons")
SNIPPET = """import torch

x = torch.ones(3, requires_grad=True)
d = x.data
y = (x * x).sum()
d.mul_(2)
y.backward()
print(x.grad)
"""
EVIL = '</script><img src=x onerror="window.owned = 1">\u202egnp'
STEP = "Step 3 of"


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with course() as up:
        yield up


@pytest.fixture(scope="module")
def stranger() -> Iterator[str]:
    with course() as up:
        yield up


@pytest.fixture(scope="module")
def embeds(origin: str) -> Iterator[Hosted]:
    """Start a server that allows pages of `origin` to embed its recordings."""
    with hosted(limits__wall_seconds="120", embed_ancestors=origin) as up:
        yield up


@pytest.fixture(scope="module")
def link(embeds: Hosted) -> str:
    """Share a snippet whose title tries to break out of its HTML element. Return the id of the link."""
    with embeds.client() as client:
        made = client.post("/api/v1/snippets", json={"source": SNIPPET, "title": EVIL, "author": EVIL[:80]})
        return str(made.raise_for_status().json()["id"])


class Framed:
    """A page on another origin with an iframe. Collects the page's console messages and requests."""

    def __init__(self, browser: Browser, origin: str, address: str, width: int = 720, **options: object) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 700}, reduced_motion="reduce", **options)  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on(
            "console", lambda message: self.said.append(message.text) if message.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(f"{request.method} {request.url}"))
        query = urlencode({"address": address, "width": width, "height": 640})
        self.page.goto(f"{origin}/?{query}")

    @property
    def frame(self) -> Frame:
        """The iframe of the player."""
        (found,) = [frame for frame in self.page.frames if "/embed/" in frame.url]
        return found

    def tell(self, message: object) -> None:
        """Post a message from the page to the iframe."""
        self.page.evaluate(as_script(message))


@pytest.fixture
def show(browser: Browser, embeds: Hosted, origin: str) -> Iterator[object]:
    opened: list[Framed] = []

    def show(path: str, at: str = origin, **options: object) -> Framed:
        opened.append(Framed(browser, at, embeds.url + path, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield show
    for each in opened:
        each.context.close()


def position(framed: Framed) -> object:
    return framed.page.frame_locator("iframe").locator(".embed-position")


@pytest.mark.sweep
@pytest.mark.parametrize("width", [320, 480, 720, 900])
@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-CN")])
def test_a_page_that_is_allowed_shows_it(show, link: str, width: int, theme: str, language: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}?theme={theme}&step=3&language={language}", width=width)
    inside = shown.page.frame_locator("iframe")
    expect(inside.locator(".embed-position")).to_contain_text("3")
    expect(inside.locator("html")).to_have_attribute("data-theme", theme)
    expect(inside.locator("html")).to_have_attribute("lang", language)
    expect(inside.locator(".picture svg")).to_be_visible()
    expect(inside.locator(".embed-code .now")).to_be_visible()
    assert shown.frame.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing scrolls to the side"
    assert violations_in(shown.frame) == []
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    shown.frame.evaluate("document.fonts.ready.then(() => undefined)")
    shown.page.screenshot(path=SCREENSHOTS / f"embed-{width}-{theme}.png")
    inside.get_by_role("button", name="Memory" if language == "en" else "内存").click()
    expect(inside.locator(".memory-pane .picture svg")).to_be_visible()
    assert violations_in(shown.frame) == []
    shown.page.screenshot(path=SCREENSHOTS / f"embed-{width}-{theme}-memory.png")
    assert shown.said == []


def violations_in(frame: Frame) -> list[str]:
    return violations(frame)  # type: ignore[arg-type]


def test_it_steps_by_keys_inside_the_frame_alone_and_only_reads(show, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}?step=1")
    inside = shown.page.frame_locator("iframe")
    at = inside.locator(".embed-position")
    expect(at).to_contain_text("Step 1 of")
    shown.page.locator("body").press("ArrowRight")
    inside.locator(".embed-code").click()
    shown.page.keyboard.press("ArrowRight")
    expect(at).to_contain_text("Step 2 of")  # step 3 would mean that the iframe reacted to a key pressed on the outer page
    shown.page.keyboard.press("End")
    expect(inside.locator(".embed-story .end")).to_be_visible()
    inside.get_by_role("button", name="Previous").click()
    expect(inside.get_by_role("link", name="Open in Stepgrad")).to_have_attribute("rel", "noopener")
    for name in ("Run", "Share", "Edit", "Try it"):
        assert inside.get_by_role("button", name=name).count() == 0
    assert [each for each in shown.asked if not each.startswith("GET ")] == []
    assert not any("/trials" in each or "/traces" in each for each in shown.asked)
    assert shown.context.cookies() == [] and shown.said == []
    assert shown.frame.evaluate("() => localStorage.length + sessionStorage.length") == 0
    with shown.context.expect_page() as opening:
        inside.get_by_role("link", name="Open in Stepgrad").click()
    opened = opening.value
    expect(opened.locator(".timeline")).to_be_visible()
    assert opened.evaluate("() => window.opener") is None


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-CN")])
def test_a_graph_without_a_node_yet_says_at_which_step_there_is_one(show, link: str, theme: str, language: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}?theme={theme}&step=1&language={language}", width=480)
    inside = shown.page.frame_locator("iframe")
    begins = inside.locator(".graph-begins")
    expect(begins).to_contain_text("No Node is recorded yet." if language == "en" else "还没有")
    expect(inside.locator(".graph-pane [data-node]")).to_have_count(0)
    assert violations_in(shown.frame) == []
    shown.page.screenshot(path=SCREENSHOTS / f"embed-begins-{theme}.png")
    leading = begins.get_by_role("button")
    number = int("".join(letter for letter in leading.inner_text() if letter.isdigit()))
    leading.focus()
    shown.page.keyboard.press("Enter")
    expect(inside.locator(".embed-position")).to_contain_text(str(number))
    expect(inside.locator(".graph-pane [data-node]").first).to_be_visible()
    expect(begins).to_have_count(0)
    expect(inside.locator(".graph-pane .picture")).to_be_focused()
    assert shown.said == []


def test_a_page_that_is_not_allowed_gets_a_blank_frame(show, stranger: str, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}", at=stranger)
    shown.page.wait_for_function("() => true")
    with shown.page.expect_console_message(lambda said: "frame-ancestors" in said.text):
        shown.page.reload()
    assert shown.page.frame_locator("iframe").locator(".embed").count() == 0
    assert all(not frame.url.startswith("http://127.0.0.1") or frame == shown.page.main_frame for frame in shown.page.frames)


def test_no_other_page_lets_itself_be_framed(show, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/s/{link}")
    with shown.page.expect_console_message(lambda said: "frame-ancestors 'none'" in said.text):
        shown.page.reload()


def test_a_sharers_words_are_text(show, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}")
    inside = shown.page.frame_locator("iframe")
    expect(inside.locator("h1")).to_contain_text(r'onerror="window.owned = 1">\u202egnp')
    expect(inside.locator(".embed-position")).to_be_visible()
    assert shown.frame.evaluate("() => window.owned") is None
    assert shown.frame.evaluate("() => document.querySelectorAll('img, .embed script').length") == 0


def test_hostile_names_and_prints_and_code_in_the_address_do_nothing(show, embeds: Hosted) -> None:  # type: ignore[no-untyped-def]
    with embeds.client() as client:
        made = client.post("/api/v1/snippets", json={"source": HOSTILE}).raise_for_status().json()["id"]
    shown = show(f"/embed/{made}?step=1{link_to(SNIPPET)[1:]}")
    inside = shown.page.frame_locator("iframe")
    expect(inside.locator(".embed-position")).to_be_visible()
    steps = int(inside.locator("input[type=range]").get_attribute("max") or 0)
    assert steps > 2
    for _ in range(steps):
        inside.locator("body").press("ArrowRight")
        assert shown.frame.evaluate("() => window.owned") is None
    expect(inside.locator("body")).to_contain_text("window.owned = 1")
    assert shown.frame.evaluate("() => document.querySelectorAll('img, main script').length") == 0
    assert [each for each in shown.asked if each.startswith("POST")] == []


def test_only_a_theme_or_a_step_is_heard_and_only_of_the_page_around(show, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}?step=2&theme=light")
    inside = shown.page.frame_locator("iframe")
    at, root = inside.locator(".embed-position"), inside.locator("html")
    expect(at).to_contain_text("Step 2 of")
    for message in (
        "stepgrad",
        None,
        [3],
        {"type": "stepgrad"},
        {"type": "stepgrad", "step": "4"},
        {"type": "stepgrad", "step": 1.5},
        {"type": "stepgrad", "step": -1},
        {"type": "stepgrad", "step": 4, "run": True},
        {"type": "other", "step": 4},
        {"type": "stepgrad", "theme": "<img src=x>"},
        {"type": "stepgrad", "theme": "dark", "step": 10**20},
    ):
        shown.tell(message)
    # The iframe must ignore a message from itself, because only the outer page may send messages.
    shown.frame.evaluate("() => postMessage({type: 'stepgrad', step: 4}, location.origin)")
    shown.tell({"type": "stepgrad", "theme": "dark"})
    expect(root).to_have_attribute("data-theme", "dark")
    expect(at).to_contain_text("Step 2 of")
    shown.tell({"type": "stepgrad", "step": 3})
    expect(at).to_contain_text("Step 3 of")
    heard = shown.page.evaluate("() => heard")
    assert heard and all(set(each["data"]) == {"type", "height"} for each in heard)
    assert {each["origin"] for each in heard} == {shown.frame.url.split("/embed/")[0]}
    assert shown.said == []


def test_a_wrong_gradient_is_next_to_the_correct_one(show, embeds: Hosted, link: str) -> None:  # type: ignore[no-untyped-def]
    with embeds.client() as client:  # a busy server answers that the gradients are unknown
        wait_until(lambda: client.get(f"/api/v1/snippets/{link}/right").json()["kind"] == "right")
    shown = show(f"/embed/{link}?step=1")
    inside = shown.page.frame_locator("iframe")
    expect(inside.locator(".embed-position")).to_contain_text("Step 1 of")
    inside.locator(".embed-code").click()
    shown.page.keyboard.press("End")
    expect(inside.locator(".bucket.wrong")).to_contain_text("∇ 4. ≠ 2.")
    inside.get_by_role("button", name="Memory").click()
    expect(inside.locator(".memory-pane .wrong").first).to_be_visible()
    assert shown.said == []


def test_a_link_that_was_deleted_says_so(show, embeds: Hosted) -> None:  # type: ignore[no-untyped-def]
    with embeds.client() as client:
        made = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()
        client.delete(f"/api/v1/snippets/{made['id']}", headers={"X-Deletion-Token": made["deletion_token"]}).raise_for_status()
    shown = show(f"/embed/{made['id']}")
    inside = shown.page.frame_locator("iframe")
    expect(inside.locator("h1")).to_have_text("The recording that was shown here was deleted")
    assert inside.get_by_role("link").count() == 0


def test_the_dialog_has_the_frame_or_says_what_allows_it(browser: Browser, embeds: Hosted, server: Hosted) -> None:
    for up, is_allowed in ((embeds, True), (server, False)):
        tutor = Tutor(browser, up.url)
        tutor.open("/lessons/data-hides-the-write")
        tutor.run()
        tutor.page.get_by_role("button", name="Share").click()
        dialog = tutor.page.get_by_role("dialog")
        dialog.get_by_role("tab", name="Embed").click()
        if is_allowed:
            code = dialog.get_by_label("HTML of the frame").input_value()
            assert code.startswith(f'<iframe src="{up.url}/embed/') and "step=" in code
        else:
            expect(dialog).to_contain_text("STEPGRAD_EMBED_ANCESTORS=https://course.example")
        assert violations(tutor.page) == []
        tutor.shoot(f"embed-dialog-{is_allowed}")
        assert tutor.complaints == []
        tutor.context.close()


def test_without_a_step_it_opens_where_the_page_does(show, link: str) -> None:  # type: ignore[no-untyped-def]
    shown = show(f"/embed/{link}")
    expect(shown.page.frame_locator("iframe").locator(".embed-position")).to_contain_text("Step 5 of")


def test_a_traceback_loads_once_it_is_opened(show, embeds: Hosted) -> None:  # type: ignore[no-untyped-def]
    with embeds.client() as client:
        made = client.post("/api/v1/snippets", json={"source": "import torch\n\nx = torch.ones(2)\nx.view(3)\n"})
    shown = show(f"/embed/{made.raise_for_status().json()['id']}")
    inside = shown.page.frame_locator("iframe")
    fold = inside.locator(".python-traceback summary")
    expect(fold).to_be_visible()
    assert not any("traceback" in address for address in shown.asked)
    fold.click()
    expect(inside.locator(".traceback")).to_have_text(
        'Traceback (most recent call last):  File "snippet.py", line 4, in <module>\n    x.view(3)'
        "RuntimeError: shape '[3]' is invalid for input of size 2"
    )
    assert violations_in(shown.frame) == []
    assert any("traceback" in address for address in shown.asked) and shown.said == []
