"""The order in which a first visit loads files: the editor first, then fonts, then the scripts that draw runs."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.page import Held

WATCH = """() => {
    const look = () => {
        const editor = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content[contenteditable="true"]');
        if (editor) window.usable ??= performance.now();
    };
    const watch = (root) => new MutationObserver(look).observe(root, {subtree: true, childList: true, attributes: true});
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (...given) {
        const root = attach.apply(this, given);
        watch(root);
        return root;
    };
    watch(document);
}"""
"""Stores the time when the editor becomes usable. A MutationObserver is more exact than animation frames on a busy machine."""
FONTS = """() => performance.getEntriesByType('resource').filter(({name}) => name.endsWith('.woff2'))
    .map(({startTime}) => startTime)"""

RUN_WORDS = """() => performance.getEntriesByType('resource').find(({name}) => name.endsWith('.run.ftl'))?.startTime"""


def hold_back(page: Page, pattern: str = "**/bundle/layout-engine.js") -> Held:
    """Intercept requests for a URL, by default for the graph layout, which the page needs to draw a run."""
    return Held(page, pattern)


def test_fonts_come_once_the_editor_is_usable_and_from_then_on_at_once(visit: Visit) -> None:
    tutor = visit(is_new=True)
    page = tutor.page
    page.add_init_script(f"({WATCH})()")
    tutor.open()
    page.wait_for_function(f"() => ({FONTS})().length === 2")
    assert min(page.evaluate(FONTS)) >= page.evaluate("() => window.usable")
    page.wait_for_function("() => localStorage.getItem('stepgrad.fonts') !== null")
    assert page.evaluate("() => [...document.fonts].every((font) => font.status === 'loaded')")
    page.goto(f"{tutor.url}/", wait_until="domcontentloaded")
    assert page.locator("html[data-fonts]").count() == 0


def test_the_words_are_asked_for_once_in_the_language_that_was_chosen(visit: Visit) -> None:
    tutor = visit(is_new=True)
    page = tutor.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/words/" in request.url else None)
    page.add_init_script(f"({WATCH})()")
    tutor.open()
    page.wait_for_function(f"() => ({RUN_WORDS})() !== undefined")
    assert [url.rpartition("/")[2] for url in asked] == ["en.ftl", "en.run.ftl"]
    assert page.evaluate(RUN_WORDS) >= page.evaluate("() => window.usable"), "what only a run needs comes after the editor"
    page.evaluate("() => localStorage.setItem('stepgrad.language', 'zh-CN')")
    for path in ("/", "/lessons"):
        asked.clear()
        page.goto(tutor.url + path)
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        expect(page.locator("main h1")).to_be_visible()
        if path == "/":  # otherwise this request might come after the navigation to the next page
            page.wait_for_function(f"() => ({RUN_WORDS})() !== undefined")
        assert [url.rpartition("/")[2] for url in asked if ".run." not in url] == ["zh-CN.ftl"]
    assert not any("en." in url or ".run." in url for url in asked), "the course says nothing about runs"


def test_the_page_says_what_it_loads_while_a_run_waits_for_it(visit: Visit) -> None:
    for locale, line in (("en-US", "Loading the graph layout"), ("zh-CN", "正在加载计算图的排布程序")):
        tutor = visit(is_new=True, locale=locale)
        page = tutor.page
        held = hold_back(page)
        tutor.open()
        page.locator(".code-pane .act.primary").click()
        expect(page.locator(".notice.progress")).to_contain_text(line)
        expect(page.locator("p.visually-hidden[role=status]")).to_contain_text(line)
        held.release()
        tutor.wait()
        expect(page.locator(".notice.progress")).to_have_count(0)


def test_so_does_a_comparison_that_waits_for_it(visit: Visit) -> None:
    tutor = visit(is_new=True)
    page = tutor.page
    held = hold_back(page)
    tutor.open("/?compare=data-hides-the-write,detach-tells-on-the-write")
    expect(page.locator(".notice.progress")).to_contain_text("Loading the graph layout")
    held.release()
    expect(page.locator(".timeline.pair")).to_be_visible()
    expect(page.locator(".notice.progress")).to_have_count(0)


def test_a_run_that_waits_for_its_words_is_shown_with_them_in_either_language(visit: Visit) -> None:
    tutor = visit(is_new=True)
    page = tutor.page
    held = hold_back(page, "**/words/*.run.ftl")
    tutor.open()
    page.locator(".code-pane .act.primary").click()
    expect(page.locator(".notice.progress")).to_be_visible()
    assert page.locator(".story").count() == 0
    held.release()
    tutor.wait()
    expect(page.locator(".story-pane h2")).to_contain_text("what just happened")
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".story-pane h2")).to_contain_text("步")
    assert "story-" not in page.locator(".story-pane").inner_text()


def test_a_run_that_waits_for_what_draws_it_can_be_left(visit: Visit) -> None:
    tutor = visit(is_new=True)
    page = tutor.page
    held = hold_back(page)
    tutor.open()
    page.locator(".code-pane .act.primary").click()
    expect(page.locator(".notice.progress")).to_contain_text("Loading the graph layout")
    page.keyboard.press("Escape")
    expect(page.locator(".notice.progress")).to_have_count(0)
    held.release()
    tutor.run()
