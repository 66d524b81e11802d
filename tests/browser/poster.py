"""Draw the picture of the start page: one step of the demo, with all its styles in the HTML.

`python -m tests.browser.poster` writes it to `templates`, for each language.
"""

import re
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.page import Tutor, launched
from tests.web.server import running

TEMPLATES = Path(__file__).parents[2] / "templates"
LANGUAGES = ("en", "zh-CN")

LINE = re.compile(r"(?=<(?:figcaption|div|svg|defs|g|path|rect|circle|ellipse|line|text)\b)")
"""Positions in HTML where a line break has no effect."""

READ = """() => {
  const cropped = (svg) => {
    const [box, copy] = [svg.closest('.picture'), svg.cloneNode(true)];
    const scale = svg.viewBox.baseVal.width / svg.width.baseVal.value;
    const across = Math.min(box.clientWidth, svg.width.baseVal.value);
    const size = [box.scrollLeft, box.scrollTop, across, box.clientHeight];
    copy.setAttribute('viewBox', size.map((px) => Math.round(px * scale)).join(' '));
    for (const name of ['width', 'height', 'style']) copy.removeAttribute(name);
    for (const title of copy.querySelectorAll('title')) title.remove();
    return copy;
  };
  const pictures = document.createElement('div');
  pictures.className = 'demo-pictures';
  pictures.setAttribute('aria-hidden', 'true');
  for (const svg of document.querySelectorAll('.demo:not(.poster) .picture > svg')) {
    const pane = svg.closest('.demo-picture').cloneNode(false);
    const room = pane.appendChild(document.createElement('div'));
    room.className = 'picture';
    room.append(cropped(svg));
    pictures.append(pane);
  }
  const caption = document.querySelector('.demo:not(.poster) .demo-caption').cloneNode(true);
  for (const part of [caption, pictures])
    for (const element of [part, ...part.querySelectorAll('*')])
      for (const { name } of [...element.attributes]) if (name.startsWith('data-')) element.removeAttribute(name);
  return caption.outerHTML + pictures.outerHTML;
}"""


def drawn(tutor: Tutor) -> str:
    """Return the HTML of the picture as a page draws it, with one element per line."""
    page = tutor.page
    page.clock.install()
    tutor.open()
    page.clock.run_for(2000)
    expect(page.locator(".demo-pause")).to_be_visible()
    page.evaluate("() => document.fonts.ready")
    page.clock.run_for(100)
    return LINE.sub("\n", str(page.evaluate(READ))).strip() + "\n"


def path_of(language: str) -> Path:
    return TEMPLATES / f"poster-{language}.html"


def accept() -> int:
    """Draw the picture in each language, and write the files."""
    with running() as server, launched() as browser:
        for language in LANGUAGES:
            tutor = Tutor(browser, server.url, **look(language))
            path_of(language).write_text(drawn(tutor), "utf-8")
            tutor.context.close()
    return 0


def look(language: str) -> dict[str, Any]:
    """Return the browser's options for a visitor who sees the animated demo in this language."""
    return {"locale": language, "reduced_motion": "no-preference", "viewport": {"width": 1440, "height": 900}}


if __name__ == "__main__":
    sys.exit(accept())
