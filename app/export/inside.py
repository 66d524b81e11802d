"""The sealed child, which lays out one step, writes the layout as DOT, and draws the picture.

Each picture has its own child, in bubblewrap.
"""

import json
import struct
import sys
from pathlib import Path
from typing import Any, Final

HEAD: Final = struct.Struct(">I")
"""Length of the request's JSON. The rest of the input after the JSON is the document."""

SEALED: Final = b"S"
UNSEALED: Final = b"U"
"""The first byte of the output tells whether the child is sealed. UNSEALED is followed by the missing layer and the reason as
JSON."""

DRAWN: Final = b"D"
REFUSED: Final = b"R"
"""The next byte. DRAWN is followed by the STEP and the picture, REFUSED by the reason."""

STEP: Final = struct.Struct(">II")
"""The drawn step, from 1, and the number of steps."""

NO_SUCH_STEP: Final = b"no-step"
NO_FONT: Final = b"no-font"

MOST_PIXELS: Final = 60_000_000
MOST_SIDE: Final = 16_000
"""Maximum number of pixels of a PNG, and of one side."""

FINE: Final = 192
"""Resolution of a PNG in dots per inch: two dots per px of the page."""

V8: Final = ("--single-threaded", "--jitless")
"""V8's options for running without its compiler, so that no memory of the child is both writable and executable."""


def main(limits: dict[str, int], readable: list[str], programs: list[str], places: dict[str, str]) -> None:
    """Seal this process, then read a request from standard input and write the result."""
    from app.export.seal import seal
    from app.sandbox.inside.layers import LayerMissing

    try:
        seal(limits, readable, programs)
    except LayerMissing as missing:
        sys.stdout.buffer.write(UNSEALED + json.dumps([missing.layer, str(missing)]).encode())
        return
    sys.stdout.buffer.write(SEALED)
    (length,) = HEAD.unpack(sys.stdin.buffer.read(HEAD.size))
    asked: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    document = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(_answer(asked, document, places))
    sys.stdout.buffer.flush()


def _answer(asked: dict[str, Any], document: str, places: dict[str, str]) -> bytes:
    from app.export.dot import dot
    from app.export.figures import DECODER

    picture = DECODER.decode(_positions(asked["page"], document, places))
    if not picture.parts:
        return REFUSED + NO_SUCH_STEP
    canvas = asked["canvas"]
    if asked["format"] in ("pdf", "png") and not asked["chinese"] and picture.has_chinese():
        return REFUSED + NO_FONT
    source = dot(picture, canvas and tuple(canvas))
    drawn = source.encode() if asked["format"] == "dot" else _drawn(source, asked, places, picture)
    return DRAWN + STEP.pack(picture.step, picture.steps) + drawn


def _positions(page: dict[str, Any], document: str, places: dict[str, str]) -> str:
    """The page's layout of a document, from the script that tests/js/bundle.mjs builds."""
    import py_mini_racer

    py_mini_racer.init_mini_racer(flags=V8)
    page["css"] = Path(places["css"]).read_text(encoding="utf-8")
    engine = py_mini_racer.MiniRacer()
    engine.eval(Path(places["script"]).read_text(encoding="utf-8"))
    promised: Any = engine.eval(f"positions({json.dumps(document)}, {json.dumps(json.dumps(page))})")
    return str(promised.get())


def _drawn(source: str, asked: dict[str, Any], places: dict[str, str], picture: Any) -> bytes:
    from app.export.dot import fitted
    from app.export.graphviz_engines import render
    from app.export.svg import finished, smallest

    kind = asked["format"]
    _, points = fitted(picture, asked["canvas"])
    fine = min(FINE / 72, MOST_SIDE / max(points), (MOST_PIXELS / (points[0] * points[1])) ** 0.5)
    drawn = render(source, kind, engine=asked["engine"], dpi=72 * (1 if asked["canvas"] else fine))
    if kind != "svg":
        return drawn
    return finished(drawn, Path(places["fonts"])) if asked["has_fonts"] else smallest(drawn)
