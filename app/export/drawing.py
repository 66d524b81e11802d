"""Draws a picture of a recording in a sealed child process."""

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
"""Maximum size of a picture. An SVG of 3,000 Nodes has 9 MB."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a picture shows, and how it is drawn."""

    step: int | Literal["first", "opening", "last"] = "last"
    """The step, counted from 1 as on the page. "first" is the first step with a picture, "opening" the step at which the player
    opens the run."""
    which: Which = "graph"
    format: Format = "svg"
    by: By = "node"
    """The granularity in which steps are counted."""
    language: str = "en"
    width: int = 1600
    """The width, in px, of the page for which the picture is laid out."""
    open: tuple[str, ...] | None = None
    open_storages: tuple[str, ...] | None = None
    """The keys of the open groups in the graph and in memory; None for the groups that are open when the player opens the run.
    Groups above a limit are folded."""
    why: str | None = None
    """The question whose chain is marked, as in an address: "grad.12.8"."""
    has_fonts: bool = True
    """Whether an SVG contains the page's fonts, 115 KB. Without fonts the file is made as small as possible."""
    canvas: tuple[int, int] | None = None
    """The size into which the picture is fitted, in px for PNG, else in points; None for the picture's own size."""


@dataclass(frozen=True)
class Drawn:
    """A picture, its step (from 1), and the number of steps of the run."""

    content: bytes
    step: int
    steps: int


async def draw(document: bytes, wanted: Wanted, wall_seconds: float = WALL_SECONDS) -> Drawn:
    """Draw a picture of a document, given as JSON. A cancellation kills the child. Raises ExportError."""
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
        raise NoSuchStep("The run has fewer steps.")
    if said == REFUSED + NO_FONT:
        raise NoFont(
            "The picture has Chinese, Japanese or Korean characters, but no font for them is installed: install fonts-noto-cjk."
        )
    if said[:1] != DRAWN or len(said) <= 1 + STEP.size:
        raise PictureTooLarge("The picture exceeds the limits of time or memory: choose another step, or fold more groups.")
    at, of = STEP.unpack_from(said, 1)
    return Drawn(said[1 + STEP.size :], at, of)


async def picture(document: bytes, step: int | Literal["first", "last"], which: Which, format: Format) -> bytes:  # noqa: A002
    """Draw a picture with default settings; return its bytes. Raises ExportError."""
    return (await draw(document, Wanted(step=step, which=which, format=format))).content


def drawing_engine() -> Engine:
    """The available Graphviz. Raises ExportUnavailable if Graphviz is not installed."""
    found = engine()
    if found is None:
        raise ExportUnavailable(
            "Graphviz, which draws the picture, is not installed: install the package graphviz, or pip install pygraphviz; "
            "DOT source needs neither."
        )
    return found


def _sealed(said: bytes) -> bytes:
    """Return the output of a sealed child, without the first byte, which reports the seal. Raises ExportUnavailable if the
    child could not be sealed."""
    if said[:1] == SEALED:
        return said[1:]
    if said[:1] == UNSEALED:
        layer, why = json.loads(said[1:])
        raise ExportUnavailable(
            f"Pictures are drawn in a sealed process, but its layer {layer} is not available here ({why}): {remedy(Layer(layer))}."
        )
    raise ExportUnavailable(
        f"Pictures are drawn in a sealed process, but bubblewrap could not start it: {remedy(Layer.BUBBLEWRAP)}."
    )


async def _said(words: list[str], asked: bytes, wall_seconds: float) -> bytes:
    """Return the whole output of a child. A child that takes too long or writes too much is killed."""
    try:
        child = await asyncio.create_subprocess_exec(
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,  # so that Ctrl-C reaches only this process, which then ends the child
        )
    except OSError as error:
        raise ExportUnavailable(f"The process that draws pictures cannot be started: {error.strerror}.") from error
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
        while await child.stdout.read(1 << 20):  # asyncio does not report the exit of a child before its output is read
            pass
        await child.wait()
        child.stdin.close()
        with contextlib.suppress(ConnectionError):  # the child has ended, so what it did not read is lost
            await child.stdin.wait_closed()


async def _feed(to: asyncio.StreamWriter, asked: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # the child's output has the error
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
