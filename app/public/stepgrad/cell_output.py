"""What stands below a cell of a notebook: the player in a frame, and behind it a still picture for where no script runs."""

import asyncio
import html
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from app.standalone import standalone
from app.words import LANGUAGES

MOST_BYTES: Final = 510_000
"""Of a cell, in addition to its trace."""

HEIGHT: Final = 720
"""Of the player, in px."""

SIZE: Final = "max-width: 100%; max-height: 640px"
"""Of the picture, which the player hides as a whole."""

PAGE_WIDTH: Final = 1024
"""Of the page that the picture looks like, in px: about that of a notebook."""

# The frame covers text and picture. If a notebook viewer removes the frame, they become visible.
_CELL: Final = """<div style="position: relative; min-height: {height}px; overflow: hidden"><p>{text}</p>{still}\
<iframe sandbox="allow-scripts" style="position: absolute; top: 0; left: 0; width: 100%; height: {height}px; border: 0" \
srcdoc='{page}'></iframe></div>"""


def cell(document: bytes, text: str) -> str:
    """The HTML for a document (its JSON). `text` is what to say where neither the player nor a picture can be shown."""
    page = _within_attribute(standalone(document, "", LANGUAGES[0], has_fonts=False).decode())
    room = MOST_BYTES - len(page) + len(_within_attribute(document.decode().replace("<", "\\u003c")))
    said = html.escape(text)
    still = _still(document, room - len(_CELL) - len(said), said)
    return _CELL.format(height=HEIGHT, text=said, still=still, page=page)


def _within_attribute(text: str) -> str:
    """As it may stand between single quotes; shorter than `html.escape` makes it, for a player packed in base 85."""
    return text.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")


def _still(document: bytes, room: int, said: str) -> str:
    """A picture of the last step in at most `room` bytes of HTML, with `said` as its text; or the reason why there is none."""
    try:
        # Windows lacks modules that drawing needs, so nothing of it can be imported there.
        from app.export import ExportError, Wanted, draw
    except ImportError:
        return _reason("it is drawn in a process that only Linux seals.")
    both = Wanted(which="both", format="svg", width=PAGE_WIDTH, has_fonts=False)
    folded = replace(both, open=(), open_storages=())
    for wanted in (both, folded, replace(folded, which="memory"), replace(folded, which="graph")):
        try:
            # A notebook's own thread has a running event loop.
            with ThreadPoolExecutor(1) as thread:
                drawn = thread.submit(asyncio.run, draw(document, wanted)).result()
        except ExportError as error:
            return _reason(str(error))
        address = "data:image/svg+xml," + quote(drawn.content, safe=" !$'()*+,/:;=?@")
        image = f'<img style="{SIZE}" alt="{said}" src="{address}">'
        if len(image) <= room:
            return image
    return _reason(f"it has {len(image) / 1000:.0f} KB, and the player leaves {room / 1000:.0f} KB of a cell.")


def _reason(why: str) -> str:
    return f"<p>There is no picture of the last step: {html.escape(why)}</p>"
