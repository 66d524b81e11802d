"""A standalone recording file, opened from disk without a network, can do everything except run code."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.lessons import by_name
from app.standalone import standalone
from app.words import LANGUAGES, catalogue
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import READ_POSITIONS, SCREENSHOTS, Tutor
from tests.sandbox.processes import PATIENCE

LESSON = "data-hides-the-write"
EVIL = "</script><script>window.owned = 1</script><!--\u2028\u202egnp"
HOSTILE = f"""import torch
name = {EVIL!r}
globals()[name] = torch.ones(2, requires_grad=True)
print(name, "<!--<script>", "]]>", "\\u2028\\u2029")
loss = (globals()[name] * 3).sum()
loss.backward()
raise RuntimeError(name)
"""
MOST_BYTES = 600 * 1024
"""The maximum size in bytes of the file of a lesson."""


def document_of(source: str, folder: Path) -> bytes:
    path = folder / "document.json"
    command = [sys.executable, "-m", "app", "trace", "-", "-o", str(path)]
    subprocess.run(command, input=source, text=True, timeout=PATIENCE, capture_output=True)
    return path.read_bytes()


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the recording and explanation of a lesson as JSON."""
    found = by_name(LESSON)
    assert found is not None
    return document_of(found.snippet.source, tmp_path_factory.mktemp("lesson"))


class OnDisk(Tutor):
    """A file opened in a browser without a network."""

    def __init__(self, browser: Browser, path: Path, **options: Any) -> None:
        super().__init__(browser, path.as_uri(), **options)
        self.context.set_offline(True)
        self.asked: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))

    def wait(self) -> None:
        expect(self.page.locator(".timeline")).to_be_visible()
        self.page.wait_for_function("() => document.fonts.status === 'loaded'")

    def expect_alone(self) -> None:
        """Assert that the page loaded no other file and logged no error."""
        assert [url[:60] for url in self.asked if not url.startswith(("file://", "data:font/"))] == []
        assert len([url for url in self.asked if url.startswith("file://")]) == 1
        assert self.complaints == []


@pytest.fixture
def open_file(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    opened: list[OnDisk] = []

    def open_file(content: bytes, at: str = "", **options: Any) -> OnDisk:
        path = tmp_path / f"run-{len(opened)}.html"
        path.write_bytes(content)
        opened.append(OnDisk(browser, path, **options))
        opened[-1].open(at)
        return opened[-1]

    yield open_file
    for each in opened:
        each.context.close()


def shown(page: Page) -> Any:
    return page.evaluate(READ_POSITIONS), page.locator(".story").inner_text(), page.locator(".output").all_inner_texts()


def test_it_shows_what_the_served_page_shows_at_every_step(open_file: Any, visit: Visit, lesson: bytes) -> None:
    served, filed = visit(), open_file(standalone(lesson, "", "en"))
    served.open(f"/lessons/{LESSON}")
    served.run()
    filed.wait()
    count = int(served.page.locator(".slider").get_attribute("max") or 0)
    assert count == int(filed.page.locator(".slider").get_attribute("max") or 0) > 10
    for tutor in (served, filed):
        tutor.to_start()
    for number in range(1, count + 1):
        found = []
        for tutor in (served, filed):
            tutor.front()
            if number > 1:
                tutor.page.keyboard.press(".")
            tutor.at_step(number)
            found.append(shown(tutor.page))
        assert found[0][0] == found[1][0] and (found[0][0] or number < 3), number
        assert found[1][2] == found[0][2]
        assert found[1][1].split("\n")[0] == found[0][1].split("\n")[0]
    filed.expect_alone()


def test_it_steps_searches_folds_and_speaks_both_languages(open_file: Any, tmp_path: Path) -> None:
    source = "import torch\nmodel = torch.nn.LSTM(2, 2)\nx = torch.randn(12, 1, 2)\n" + (
        "for round in range(12):\n    y, _ = model(x)\n    y.sum().backward()\n"
    )
    filed = open_file(standalone(document_of(source, tmp_path), "Twelve rounds", "en"))
    page = filed.page
    filed.wait()
    expect(page.locator(".shared-heading")).to_have_text("Twelve rounds")
    page.keyboard.press("End")
    groups = filed.turn_groups("Fold every group")
    before = filed.picture()
    page.locator("[data-fold]").first.click()
    page.wait_for_function(
        "(before) => JSON.stringify([...document.querySelectorAll('.picture svg')].map((svg) => svg.innerHTML)) !== before",
        arg=before,
    )
    assert groups.count() == 1
    page.keyboard.press("/")
    page.keyboard.type("SumBackward0")
    page.keyboard.press("Enter")
    expect(page.locator(".search-count")).to_have_text(re.compile(r"^1 of \d+$"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator(".story-pane h2")).to_contain_text("步")
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.locator(".story-pane h2")).to_contain_text("what just happened")
    page.locator("body").press("t")
    expect(page.locator(".outline:not(.visually-hidden)").first).to_be_visible()
    filed.expect_alone()


def test_it_runs_and_shares_nothing(open_file: Any, lesson: bytes) -> None:
    filed = open_file(standalone(lesson, "", "en"))
    page = filed.page
    filed.wait()
    for name in ("Run", "Edit", "Share", "Compare", "Lessons", "Try it", "Live"):
        assert page.get_by_role("button", name=name, exact=True).count() == 0, name
    for key in ("Control+Enter", "F2"):
        page.keyboard.press(key)
    page.locator(".cm-line").nth(2).dblclick()
    page.locator(".cm-content").press("Enter")
    page.keyboard.type("zzz")
    expect(page.locator(".code-pane.replay")).to_have_count(1)
    assert "zzz" not in page.locator(".cm-content").inner_text()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.locator("a[href]:not(.skip)").count() == 0
    assert page.evaluate("() => localStorage.length + sessionStorage.length") == 0
    filed.expect_alone()


@pytest.mark.sweep
@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("zh-CN", "dark")])
@pytest.mark.parametrize("width", [390, 1440])
def test_it_looks_as_the_page_does_on_any_screen(open_file: Any, lesson: bytes, language: str, theme: str, width: int) -> None:
    filed = open_file(standalone(lesson, "A lesson", language), viewport={"width": width, "height": 900}, color_scheme=theme)
    filed.wait()
    expect(filed.page.locator("html")).to_have_attribute("data-theme", theme)
    expect(filed.page.locator("html")).to_have_attribute("lang", language)
    filed.page.keyboard.press("End")
    assert violations(filed.page) == []
    fonts = filed.page.evaluate("() => document.fonts.ready.then(() => [...document.fonts].map((font) => font.status))")
    assert fonts == ["loaded", "loaded"]
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    filed.page.screenshot(path=SCREENSHOTS / f"standalone-{width}-{theme}.png")
    filed.expect_alone()


def test_it_opens_at_the_step_of_its_address(open_file: Any, lesson: bytes) -> None:
    filed = open_file(standalone(lesson, "", "en"), "#step=8")
    filed.at_step(8)
    filed.page.evaluate("() => { location.hash = '#step=3'; }")
    filed.at_step(3)


HOSTILE_ADDRESSES = (
    "#code=AAAA",
    "#code=%3Cscript%3E",
    "#step=none&by=__proto__&lang=%3Cimg%20src%3Dx%3E&on=gpu",
    "#" + "x" * 9000,
)


def test_a_hostile_address_does_nothing(open_file: Any, lesson: bytes) -> None:
    plain = open_file(standalone(lesson, "", "en"))
    plain.wait()
    usual = shown(plain.page)
    for at in HOSTILE_ADDRESSES:
        filed = open_file(standalone(lesson, "", "en"), at)
        filed.wait()
        assert shown(filed.page) == usual, at
        filed.expect_alone()


def test_hostile_names_prints_and_titles_do_nothing(open_file: Any, tmp_path: Path) -> None:
    content = standalone(document_of(HOSTILE, tmp_path), EVIL, "en")
    assert "\u2028" not in content.decode() and content.count(b"<script") == content.count(b"</script") == 5
    filed = open_file(content)
    filed.wait()
    page = filed.page
    for _ in range(int(page.locator(".slider").get_attribute("max") or 0)):
        page.keyboard.press(".")
    expect(page.locator(".end.badly")).to_contain_text("window.owned = 1")
    expect(page.locator(".shared-heading")).to_contain_text(r"<!--\u2028\u202egnp")
    assert page.evaluate("() => window.owned") is None
    assert page.evaluate("() => document.querySelectorAll('script:not([id])').length") == 2  # the inline scripts
    filed.expect_alone()


def test_what_is_added_to_the_file_is_not_run(open_file: Any, lesson: bytes) -> None:
    added = b'<script>window.owned = 1</script><img src="http://127.0.0.1:9/x" onerror="window.owned = 2"></body>'
    filed = open_file(standalone(lesson, "", "en").replace(b"</body>", added))
    filed.wait()
    assert filed.page.evaluate("() => window.owned") is None
    refused = filed.page.evaluate("() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    filed.expect_no_complaint_but("Content Security Policy")
    filed.complaints.clear()


def beside(document: bytes, folder: Path) -> Path:
    """Write a file that loads its script from a second file, and return the path."""
    page = re.sub(
        rb"<meta http-equiv[^>]*>|<script>.*?</script>\n</body>", b"", standalone(document, "", "en"), flags=re.DOTALL
    )
    (folder / "unpack.js").write_text(Path("static/bundle/unpack.js").read_text())
    path = folder / "module.html"
    path.write_bytes(page + b'<script type="module" src="unpack.js"></script></body>')
    return path


def test_a_file_with_a_module_beside_it_is_blank(browser: Browser, tmp_path: Path, lesson: bytes) -> None:
    """Verifies that the other tests can fail: a file that needs a second file stays blank."""
    path = beside(lesson, tmp_path)
    filed = OnDisk(browser, path)
    with filed.page.expect_console_message(lambda said: "CORS" in said.text or "origin" in said.text):
        filed.page.goto(path.as_uri())
    assert filed.page.locator(".app").count() == 0
    expect(filed.page.locator(".loading")).to_have_text("Stepgrad")
    filed.context.close()


def test_a_lessons_file_stays_small_and_is_always_the_same(lesson: bytes) -> None:
    content = standalone(lesson, "A lesson", "en")
    assert len(content) <= MOST_BYTES, f"{len(content) / 1024:.0f} KiB"
    assert content == standalone(lesson, "A lesson", "en")


SAID = """() => [document.querySelector('.app').textContent, ...[...document.querySelectorAll('[title], [aria-label]')]
    .flatMap((each) => [each.title, each.getAttribute('aria-label') ?? ''])].join(' ')"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_brings_all_the_words_that_it_says(open_file: Any, lesson: bytes, language: str) -> None:
    ids = {each for each in re.findall(r"^([a-z][\w-]+) =", catalogue(language), re.MULTILINE) if "-" in each}
    filed = open_file(standalone(lesson, "", language))
    filed.wait()
    page = filed.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    missing = ids & set(re.findall(r"[a-z][\w-]+", page.evaluate(SAID)))
    page.keyboard.press("Escape")
    for _ in range(int(page.locator(".slider").get_attribute("max") or 0)):
        missing |= ids & set(re.findall(r"[a-z][\w-]+", page.evaluate(SAID)))
        page.keyboard.press(".")
    assert missing == set()


def test_a_file_has_the_words_of_its_findings_alone(lesson: bytes) -> None:
    kinds = {finding["kind"] for finding in json.loads(lesson)["findings"]}
    content = standalone(lesson, "A lesson", "en").decode()
    held = json.loads(re.findall(r'<script type="application/json" id="findings">(.*)</script>', content)[0])
    assert sorted(held) == ["/words/en.run.ftl", "/words/zh-CN.run.ftl"]
    names = {f"finding-{kind}{part}" for kind in kinds for part in ("", "-title")}
    assert [set(re.findall(r"^([\w-]+) =", words, re.MULTILINE)) for words in held.values()] == [names, names]
