"""Export a step as a self-contained picture or slide, and several steps as an animation. They match the panes."""

import base64
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

LESSON = "/lessons/data-hides-the-write"
SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert(1)</script> & "quoted" ]]>'

# Returns the visible text elements of an SVG picture.
READ_TEXT = """(selector) => [...document.querySelectorAll(selector)]
    .filter((text) => getComputedStyle(text).visibility !== 'hidden').map((text) => text.textContent)"""
# Decodes a PNG file. Returns its size, the color of a corner, and the number of dark pixels.
READ_PNG = """async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const {data} = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 200) dark += 1;
    return {width: bitmap.width, height: bitmap.height, corner: [...data.slice(0, 4)], dark};
}"""

# Replaces the print dialog, and keeps the document that would be printed.
KEEP_PRINTED = """() => { window.print = () => {
    const slides = document.querySelector('.slides');
    window.printed = [...slides.children].map((slide) => [slide.querySelector('h2').textContent,
        slide.querySelector('p').textContent, slide.querySelector('img').naturalWidth]);
    window.kept = slides.cloneNode(true);
    for (const [number, image] of [...slides.querySelectorAll('img')].entries()) {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        canvas.getContext('2d').drawImage(image, 0, 0);
        window.kept.querySelectorAll('img')[number].src = canvas.toDataURL();
    }
    dispatchEvent(new Event('afterprint'));
}; }"""


def open_export(tutor: Tutor, address: str) -> Page:
    tutor.open(address)
    tutor.wait()
    tutor.page.get_by_role("button", name="Export", exact=True).click()
    expect(tutor.page.get_by_role("dialog", name="Export")).to_be_visible()
    return tutor.page


def saved(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name=button, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_svg_says_what_its_pane_says_and_needs_nothing_else(visit: Visit, tmp_path: Path, theme: str) -> None:
    tutor = visit(color_scheme=theme)
    page = open_export(tutor, f"{LESSON}#step=8")
    for which in ("graph", "memory"):
        tutor.front().get_by_role("radio", name=which, exact=True).check()
        path = saved(page, "SVG", tmp_path)
        assert path.name == f"stepgrad-{which}-step-8.svg"
        whole = ET.fromstring(path.read_text())
        shown = page.evaluate(READ_TEXT, f".{which}-pane .picture > svg text")
        assert [("".join(text.itertext())) for text in whole.iter(f"{SVG}text")] == shown and len(shown) > 5
        written = path.read_text()
        assert not re.search(r"var\(|class=|data-|https?://(?!www\.w3\.org)", written)
        assert written.count("@font-face") == 2 and "font/woff2;base64," in written
        background = whole.find(f"{SVG}rect")
        assert background is not None and background.get("fill") == "#fff"
        inks = {shape.get("fill") for shape in whole.iter()}
        assert "rgb(20, 24, 31)" in inks and "rgb(238, 242, 247)" not in inks, "the ink of the light page, not of the dark one"
        alone = tutor.another_tab().page
        alone.goto(path.as_uri())
        expect(alone.locator("text").first).to_be_visible()
        boxes = alone.evaluate("[...document.querySelectorAll('text')].map((text) => text.getBBox().width > 0)")
        assert all(boxes)


def test_both_pictures_as_a_png_twice_as_large_on_white(visit: Visit, tmp_path: Path) -> None:
    tutor = visit(color_scheme="dark")
    page = open_export(tutor, f"{LESSON}#step=8")
    path = saved(page, "PNG", tmp_path)
    expect(page.get_by_role("status").filter(has_text="Saved as stepgrad-both-step-8.png")).to_be_visible()
    svg = ET.fromstring(saved(page, "SVG", tmp_path).read_text())
    read = page.evaluate(READ_PNG, base64.b64encode(path.read_bytes()).decode())
    assert (read["width"], read["height"]) == (2 * int(svg.get("width", "0")), 2 * int(svg.get("height", "0")))
    assert read["corner"] == [255, 255, 255, 255] and read["dark"] > 5000
    assert len(list(svg.iter(f"{SVG}svg"))) >= 3, "the whole, and one for each picture"


def test_what_a_snippet_names_is_text(visit: Visit, tmp_path: Path) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(f"import torch\nnames = {{{EVIL!r}: torch.ones(2)}}\nx = torch.ones(1)\n")
    tutor.run()
    tutor.page.locator("body").press("End")
    tutor.page.get_by_role("button", name="Export", exact=True).click()
    tutor.page.get_by_role("radio", name="memory", exact=True).check()
    written = saved(tutor.page, "SVG", tmp_path).read_text()
    names = {each.tag.removeprefix(SVG) for each in ET.fromstring(written).iter()}
    assert names <= {
        "svg",
        "style",
        "rect",
        "g",
        "path",
        "text",
        "tspan",
        "title",
        "circle",
        "ellipse",
        "line",
        "defs",
        "pattern",
    }


def test_slides_are_one_page_for_each_step_with_its_story(visit: Visit, tmp_path: Path) -> None:
    tutor = visit()
    page = open_export(tutor, f"{LESSON}#step=5")
    page.evaluate(KEEP_PRINTED)
    page.get_by_role("spinbutton", name="from").fill("4")
    page.get_by_role("spinbutton", name="to").fill("7")
    page.get_by_role("button", name="Print slides").click()
    expect(page.get_by_role("dialog").get_by_text("print dialog")).to_be_visible()
    printed = page.evaluate("window.printed")
    assert [title for title, _, _ in printed] == ["Step 4", "Step 5", "Step 6", "Step 7"]
    assert len({story for _, story, _ in printed}) == 4 and all(width > 300 for _, _, width in printed)
    expect(page.locator(".slides")).to_have_count(0)
    tutor.at_step(5)
    page.evaluate("document.body.append(window.kept)")
    (tmp_path / "slides.pdf").write_bytes(page.pdf(prefer_css_page_size=True))
    facts = subprocess.run(["pdfinfo", tmp_path / "slides.pdf"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^Pages: +4$", facts, re.MULTILINE) and re.search(r"^Page size: +960 x 540 pts", facts, re.MULTILINE), (
        facts
    )
    words = subprocess.run(["pdftotext", tmp_path / "slides.pdf", "-"], capture_output=True, text=True, check=True).stdout
    for title, story, _ in printed:
        assert title in words and story.split()[0] in words


def test_an_export_has_the_chain_that_answers_why(visit: Visit, tmp_path: Path) -> None:
    tutor = visit()
    page = open_export(tutor, f"{LESSON}#step=15&why=tensor.2.15")
    expect(page.locator(".why li")).to_have_count(4)
    svg = saved(page, "SVG", tmp_path).read_text()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert "2–3" in texts and texts.count("1") >= 2
    with page.expect_request("**/picture*") as sent:
        saved(page, "DOT for a paper", tmp_path)
    assert (sent.value.post_data_json or {})["why"] == "tensor.2.15"
    page.evaluate(KEEP_PRINTED)
    page.get_by_role("spinbutton", name="from").fill("15")
    page.get_by_role("spinbutton", name="to").fill("15")
    page.get_by_role("button", name="Print slides").click()
    expect(page.get_by_role("dialog").get_by_text("print dialog")).to_be_visible()
    page.evaluate("document.body.append(window.kept)")
    (tmp_path / "slides.pdf").write_bytes(page.pdf(prefer_css_page_size=True))
    facts = subprocess.run(["pdfinfo", tmp_path / "slides.pdf"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^Pages: +1$", facts, re.MULTILINE), facts
    words = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "slides.pdf", "-"], capture_output=True, text=True, check=True
    ).stdout
    assert "Why is w2.grad [1.]?" in words and "MvBackward0 of line 9 sent" in words and "3 Backward began with" in words, words


@pytest.mark.parametrize(("button", "suffix"), [("APNG", "png"), ("GIF", "gif")])
def test_an_animation_has_a_frame_for_each_step(visit: Visit, tmp_path: Path, button: str, suffix: str) -> None:
    tutor = visit(viewport={"width": 900, "height": 600})
    page = open_export(tutor, f"{LESSON}#step=5")
    page.get_by_role("spinbutton", name="from").fill("6")
    page.get_by_role("spinbutton", name="to").fill("8")
    path = saved(page, button, tmp_path)
    assert path.name == f"stepgrad-both-steps-6-8.{suffix}"
    content = path.read_bytes()
    if suffix == "png":
        assert content.count(b"fcTL") == 3 and b"acTL" in content
    else:
        assert content.startswith(b"GIF89a") and content.count(b"\x21\xf9\x04") == 3
    tutor.at_step(5)


def test_a_range_that_is_none_is_told_and_makes_nothing(visit: Visit) -> None:
    page = open_export(visit(), f"{LESSON}#step=5")
    page.get_by_role("spinbutton", name="from").fill("9")
    page.get_by_role("spinbutton", name="to").fill("3")
    expect(page.get_by_role("alert")).to_contain_text("Choose steps from 1 to")
    expect(page.get_by_role("button", name="APNG")).to_have_attribute("aria-disabled", "true")
