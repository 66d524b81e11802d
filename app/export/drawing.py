"""One picture of a recording, drawn by a sealed child that ends with it."""

import asyncio
import contextlib
import json
import subprocess
from dataclasses import dataclass
from typing import Final, Literal

from app.export.errors import ExportUnavailable, NoFont, NoSuchStep, PictureTooLarge
from app.export.inside import DRAWN, HEAD, NO_FONT, NO_SUCH_STEP, REFUSED, SEALED, STEP, UNSEALED
from app.export.jail import Engine, command, engine, has_chinese
from app.sandbox.errors import remedy
from app.sandbox.inside.layers import Layer
from app.words import catalogue

Which = Literal["graph", "memory", "both"]
Format = Literal["svg", "pdf", "png", "dot"]
By = Literal["line", "node", "operator"]

WALL_SECONDS: Final = 40.0
"""Timeout of a picture."""

MOST_BYTES: Final = 32 << 20
"""Of a picture. An SVG of 3,000 Nodes has 9 MB."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The subject and the style of a picture."""

    step: int | Literal["first", "opening", "last"] = "last"
    """From 1, as the page counts; the first is the first that shows something, the opening the one that the page opens at."""
    which: Which = "graph"
    format: Format = "svg"
    by: By = "node"
    """The unit of a step."""
    language: str = "en"
    width: int = 1600
    """Of the page that it looks like, in px."""
    open: tuple[str, ...] | None = None
    open_storages: tuple[str, ...] | None = None
    """Keys of the groups that are open in the graph, and in memory; None: as at first. Too many are folded."""
    why: str | None = None
    """The question whose chain is marked, as in an address: "grad.12.8"."""
    has_fonts: bool = True
    """Whether an SVG carries the page's fonts, 115 KB; without them it is as small as it can be."""
    canvas: tuple[int, int] | None = None
    """The size of the whole, in px of a PNG, else in points: the picture is fitted into its middle. None: its own."""


@dataclass(frozen=True)
class Drawn:
    """A picture, and of which step it is: from 1, of `steps`."""

    content: bytes
    step: int
    steps: int


async def draw(document: bytes, wanted: Wanted, wall_seconds: float = WALL_SECONDS) -> Drawn:
    """A picture of a document (its JSON). Cancelling it ends the child. Raises ExportError."""
    using = None if wanted.format == "dot" else drawing_engine()
    page = {
        "picture": wanted.which,
        "step": wanted.step,
        "by": wanted.by,
        "width": wanted.width,
        "open": wanted.open,
        "open_storages": wanted.open_storages,
        "why": wanted.why,
        "language": wanted.language,
        "words": catalogue(wanted.language),
    }
    asked = {
        "page": page,
        "format": wanted.format,
        "canvas": wanted.canvas,
        "has_fonts": wanted.has_fonts,
        "engine": using and using.name,
        "chinese": has_chinese(),
    }
    header = json.dumps(asked).encode()
    said = _sealed(await _said(command(using), HEAD.pack(len(header)) + header + document, wall_seconds))
    if said == REFUSED + NO_SUCH_STEP:
        raise NoSuchStep("The run has not that many steps.")
    if said == REFUSED + NO_FONT:
        raise NoFont("No font for the Chinese, Japanese or Korean letters of the picture is installed: install fonts-noto-cjk.")
    if said[:1] != DRAWN or len(said) <= 1 + STEP.size:
        raise PictureTooLarge("The picture was not finished within the limits for one: choose another step, or fold more.")
    at, of = STEP.unpack_from(said, 1)
    return Drawn(said[1 + STEP.size :], at, of)


async def picture(document: bytes, step: int | Literal["first", "last"], which: Which, format: Format) -> bytes:  # noqa: A002
    """The bytes of one picture, as `draw` makes it. Raises ExportError."""
    return (await draw(document, Wanted(step=step, which=which, format=format))).content


def drawing_engine() -> Engine:
    """The available Graphviz. Raises ExportUnavailable if there is none."""
    found = engine()
    if found is None:
        raise ExportUnavailable(
            "No Graphviz is installed, which draws the picture: install the package graphviz, or pip install pygraphviz; "
            "the DOT source needs none."
        )
    return found


def _sealed(said: bytes) -> bytes:
    """The output of a confined child. Raises ExportUnavailable if it could not be confined."""
    if said[:1] == SEALED:
        return said[1:]
    if said[:1] == UNSEALED:
        layer, why = json.loads(said[1:])
        raise ExportUnavailable(
            f"Pictures are drawn in a sealed process, whose layer {layer} cannot be had here ({why}): {remedy(Layer(layer))}."
        )
    raise ExportUnavailable(
        f"Pictures are drawn in a sealed process, which bubblewrap could not start here: {remedy(Layer.BUBBLEWRAP)}."
    )


async def _said(words: list[str], asked: bytes, wall_seconds: float) -> bytes:
    """The whole output of a child, which is killed if it takes too long or writes too much."""
    try:
        child = await asyncio.create_subprocess_exec(
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,  # Ctrl-C is for this process, which ends the child itself
        )
    except OSError as error:
        raise ExportUnavailable(f"The process that draws cannot be started: {error.strerror}.") from error
    assert child.stdin is not None and child.stdout is not None
    feeding = asyncio.ensure_future(_feed(child.stdin, asked))
    try:
        async with asyncio.timeout(wall_seconds):
            said = await _read(child.stdout)
            await child.wait()
            return said
    except TimeoutError:
        raise PictureTooLarge(f"The picture was not finished within {wall_seconds:g} s.") from None
    finally:
        feeding.cancel()
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        while await child.stdout.read(1 << 20):  # asyncio waits for a child until all that it said was read
            pass
        await child.wait()
        child.stdin.close()
        with contextlib.suppress(ConnectionError):  # unread output is lost
            await child.stdin.wait_closed()


async def _feed(to: asyncio.StreamWriter, asked: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # its output has the error
        to.write(asked)
        await to.drain()
        to.close()


async def _read(of: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    left = MOST_BYTES
    while data := await of.read(1 << 20):
        left -= len(data)
        if left < 0:
            raise PictureTooLarge(f"The picture has more than {MOST_BYTES >> 20} MB.")
        parts.append(data)
    return b"".join(parts)
