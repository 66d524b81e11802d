"""The output of a notebook cell: the player in a frame, and behind it a picture for viewers that run no scripts."""

import asyncio
import html
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from app.standalone import standalone
from app.words import LANGUAGES

MOST_BYTES: Final = 510_000
"""Maximum bytes of a cell's output in addition to its trace."""

HEIGHT: Final = 720
"""Height of the player in px."""

SIZE: Final = "max-width: 100%; max-height: 640px"
"""Style of the picture, which must be small enough to be hidden by the player."""

PAGE_WIDTH: Final = 1024
"""Width in px of the page that the picture is laid out for, about the width of a notebook."""

# The frame covers the text and the picture, which become visible if a notebook viewer removes the frame.
_CELL: Final = """<div style="position: relative; min-height: {height}px; overflow: hidden"><p>{text}</p>{still}\
<iframe sandbox="allow-scripts" style="position: absolute; top: 0; left: 0; width: 100%; height: {height}px; border: 0" \
srcdoc='{page}'></iframe></div>"""


def cell(document: bytes, text: str) -> str:
    """The HTML for a document, given as JSON. `text` is shown if neither the player nor a picture can be shown."""
    page = _within_attribute(standalone(document, "", LANGUAGES[0], has_fonts=False).decode())
    room = MOST_BYTES - len(page) + len(_within_attribute(document.decode().replace("<", "\\u003c")))
    said = html.escape(text)
    still = _still(document, room - len(_CELL) - len(said), said)
    return _CELL.format(height=HEIGHT, text=said, still=still, page=page)


def _within_attribute(text: str) -> str:
    """Escape text for an attribute in single quotes. The result is shorter than that of `html.escape`, because the player is
    encoded in base 85."""
    return text.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")


def _still(document: bytes, room: int, said: str) -> str:
    """A picture of the last step in at most `room` bytes of HTML, with `said` as its alternative text; or why there is none."""
    try:
        # On Windows this import fails, because modules that drawing needs are missing.
        from app.export import ExportError, Wanted, draw
    except ImportError:
        return _reason("drawing needs a sandbox that exists only on Linux.")
    both = Wanted(which="both", format="svg", width=PAGE_WIDTH, has_fonts=False)
    folded = replace(both, open=(), open_storages=())
    for wanted in (both, folded, replace(folded, which="memory"), replace(folded, which="graph")):
        try:
            # The picture is drawn in another thread, because the notebook's thread has a running event loop.
            with ThreadPoolExecutor(1) as thread:
                drawn = thread.submit(asyncio.run, draw(document, wanted)).result()
        except ExportError as error:
            return _reason(str(error))
        address = "data:image/svg+xml," + quote(drawn.content, safe=" !$'()*+,/:;=?@")
        image = f'<img style="{SIZE}" alt="{said}" src="{address}">'
        if len(image) <= room:
            return image
    return _reason(f"it has {len(image) / 1000:.0f} KB, but only {room / 1000:.0f} KB of the cell are left.")


def _reason(why: str) -> str:
    return f"<p>There is no picture of the last step: {html.escape(why)}</p>"
