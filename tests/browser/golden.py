"""Draw eighteen programs as SVG, without translated text, and compare them with stored golden files.

`python -m tests.browser.golden` replaces the golden files. build/goldens/index.html then shows every changed picture before
and after.
"""

import html
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from playwright.sync_api import expect

from tests.browser.page import Tutor, launched
from tests.web.server import running

FOLDER = Path(__file__).parent / "goldens"
DRAWN = Path(__file__).parents[2] / "build" / "goldens"

READ = """() => {
    const attributes = 'x y width height rx cx cy r x1 y1 x2 y2 d points transform viewBox clip-path mask'.split(' ');
    const describe = (element) => ({
        tag: element.tagName,
        attributes: [...element.attributes].map(({name, value}) => [name, value])
            .filter(([name]) => attributes.includes(name) || name.startsWith('data-')),
        children: [...element.children].map(describe),
        text: element.children.length === 0 ? element.textContent : '',
    });
    return [...document.querySelectorAll('.picture svg')].map(describe);
}"""
"""Reads all pictures of the page, with the attributes for geometry and identity."""

STYLE = "rect, path, circle, ellipse, line { fill: none; stroke: #567 } text { font: 12px sans-serif; fill: #123 }"
"""CSS that makes a golden file readable when it is opened on its own."""

KEPT = re.compile(r"\w+Backward\d*|AccumulateGrad|CopySlices|S\d+|v\d+|[-−+]?[\d.,e−+-]+…?|\([\d, ]*\)")
"""Names of Nodes, and numbers. All other text is removed, because it may be translated."""

Drive = Callable[[Tutor], None]


@dataclass(frozen=True, kw_only=True)
class Program:
    """A page, and the actions that lead to the step of its picture."""

    address: str = ""
    drive: Drive


def step(number: int) -> Drive:
    """Return an action that goes to a step."""

    def drive(tutor: Tutor) -> None:
        tutor.page.locator(".slider").fill(str(number))
        tutor.at_step(number)

    return drive


def last(tutor: Tutor) -> None:
    step(int(tutor.page.locator(".slider").get_attribute("max") or 0))(tutor)


def compared(tutor: Tutor) -> None:
    """Go to step 8 of both runs, and wait until the differences are marked."""
    step(8)(tutor)
    for side in tutor.page.locator(".side.of-left, .side.of-right").all():
        expect(side.locator(".memory [data-differs]")).to_have_count(2)


def within_backward(tutor: Tutor) -> None:
    """Go to the first step in which a Node with two inputs runs."""
    tutor.step_at(5, "MulBackward0")


def folded(tutor: Tutor) -> None:
    last(tutor)
    expect(tutor.turn_groups("Fold every group")).to_be_disabled()


def corrected(tutor: Tutor) -> None:
    """Go to the last step, and wait for the corrected gradients. The server runs the program again to compute corrected
    gradients.
    """
    last(tutor)
    expect(tutor.page.locator(".memory .cell.wrong")).to_have_count(2)


def stood_in(tutor: Tutor) -> None:
    """Run the program again with the CPU standing in for a missing GPU, and go to the last step."""
    last(tutor)
    tutor.page.get_by_role("button", name="Run again with the CPU instead of a GPU", exact=True).click()
    expect(tutor.page.locator(".stood-in")).to_be_visible()
    last(tutor)


PROGRAMS = {
    "data": Program(address="/lessons/data-hides-the-write#step=8", drive=compared),
    "in-place": Program(drive=step(5)),
    "backward": Program(drive=within_backward),
    "mlp": Program(drive=last),
    "loop": Program(drive=folded),
    "resnet": Program(drive=folded),
    "gpt": Program(drive=last),
    "numpy": Program(drive=corrected),
    "windows": Program(drive=last),
    "error": Program(address="/lessons/detach-tells-on-the-write#step=99", drive=last),
    "stand-in": Program(drive=stood_in),
    "comparison": Program(address="/?compare=data-hides-the-write,detach-tells-on-the-write#step=8", drive=compared),
}
MODELS = ("resnet-50", "gpt-12", "u-net", "gan", "lstm-50", "diffusion")
"""Models with graphs too large to show without folded groups."""
PROGRAMS |= {name: Program(drive=last) for name in MODELS}
"""The actions for each golden file. A program without an address has its code in the folder of the golden files."""


def draw(tutor: Tutor, name: str) -> str:
    """Return the pictures of a program as one normalised SVG."""
    program = PROGRAMS[name]
    tutor.open(program.address or "/")
    if not program.address:
        tutor.write((FOLDER / f"{name}.py").read_text("utf-8"))
        tutor.run()
    else:
        tutor.wait()
    program.drive(tutor)
    tutor.page.evaluate("() => document.fonts.ready")
    pictures = tutor.page.evaluate(READ)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg">', f"<style>{STYLE}</style>"]
    for number, picture in enumerate(pictures):
        lines += written(picture, 1, [("x", str(1200 * number))])
    return "\n".join([*lines, "</svg>", ""])


def written(element: dict[str, Any], depth: int, more: list[tuple[str, str]] | None = None) -> list[str]:
    """Return the lines of an SVG element and its descendants, one element per line."""
    attributes = [*(more or []), *((name, normal(name, value)) for name, value in element["attributes"])]
    inside = " ".join([element["tag"], *(f"{name}={quoteattr(value)}" for name, value in attributes)])
    begin, text = "  " * depth + f"<{inside}", element["text"] if KEPT.fullmatch(element["text"]) else ""
    if text or not element["children"]:
        return [f"{begin}>{escape(text)}</{element['tag']}>" if text else f"{begin}/>"]
    children = [line for child in element["children"] for line in written(child, depth + 1)]
    return [f"{begin}>", *children, "  " * depth + f"</{element['tag']}>"]


def normal(name: str, value: str) -> str:
    """Round the decimal numbers in an attribute, except in `data-` attributes."""
    if name.startswith("data-"):
        return value
    return re.sub(r"-?\d+\.\d+", lambda found: str(round(float(found[0]) + 1e-6)), value)


def side_by_side(changed: dict[str, tuple[str, str]]) -> str:
    """Return an HTML page that shows each picture before and after."""
    rows = [
        f"<h2>{html.escape(name)}</h2><div><figure>{before or 'There was none.'}</figure><figure>{after}</figure></div>"
        for name, (before, after) in changed.items()
    ]
    look = "div { display: flex; gap: 2em } figure { flex: 1; margin: 0; overflow: auto; border: 1px solid #ccc }"
    look += " figure > svg { width: 2500px; height: 1000px }"
    return f"<!doctype html><meta charset=utf-8><title>Goldens</title><style>{look}</style>{''.join(rows)}"


def accept() -> int:
    """Draw all pictures, and overwrite the golden files that differ."""
    changed = {}
    # test_goldens.py uses the same time limit. The picture of a run that reaches its time limit varies.
    with running(visitor_burst="1e6", limits__wall_seconds="120") as server, launched() as browser:
        for name in PROGRAMS:
            tutor = Tutor(browser, server.url)
            golden, drawn = FOLDER / f"{name}.svg", draw(tutor, name)
            before = golden.read_text("utf-8") if golden.exists() else ""
            if drawn != before:
                changed[name] = (before, drawn)
                golden.write_text(drawn, "utf-8")
            tutor.context.close()
    DRAWN.mkdir(parents=True, exist_ok=True)
    page = DRAWN / "index.html"
    page.write_text(side_by_side(changed), "utf-8")
    print(f"{len(changed)} of {len(PROGRAMS)} goldens have changed; before and after: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(accept())
