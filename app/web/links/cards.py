"""Preview pictures of links. A picture is drawn once, at the link's step, and cached for a while."""

import asyncio
import re
from typing import Final, cast

import structlog
from cachetools import LRUCache

from app.explainers import Unreadable
from app.export import By, ExportError, ExportUnavailable, Wanted, draw, drawing_engine
from app.store import Snippet
from app.trace.records import FORMAT
from app.web.edge.clients import too_often
from app.web.edge.errors import Problem
from app.web.edge.rates import NetworkRates
from app.web.runs.documents import document
from app.web.runs.explanations import Explanations
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight

SIZE: Final = (1200, 630)
"""Size of the picture in px, as recommended for Open Graph."""

MOST_BYTES: Final = 16 << 20
MOST_FAILED: Final = 1000
"""Limits of the cache: bytes of pictures, and number of failures."""

MOST_TRACE_BYTES: Final = 4 << 20
"""Maximum bytes of a recording that gets a picture. The picture of a larger recording would be unreadable."""

MOST_WAITING: Final = 8
WALL_SECONDS: Final = 15.0

Key = tuple[str, str]
"""The key of a picture: the hash of the recording, and the step."""


class Cards:
    """Preview pictures by recording and step. One picture is drawn at a time, in the sandboxed child of `app/export`."""

    def __init__(self, runs: Runs, explanations: Explanations, rates: NetworkRates) -> None:
        self._runs = runs
        self._explanations = explanations
        self._rates = rates
        self._kept: LRUCache[Key, bytes] = LRUCache(MOST_BYTES, len)
        self._failed: LRUCache[Key, None] = LRUCache(MOST_FAILED)
        self._drawing: SingleFlight[bytes | None] = SingleFlight()
        self._turn = asyncio.Lock()
        self._waiting = 0

    def may_be_drawn(self, snippet: Snippet) -> bool:
        """Whether the page of a link should name a preview picture. False if this server cannot draw, or if drawing this
        picture failed before."""
        if snippet.format != FORMAT or _key(snippet) in self._failed:
            return False
        try:
            drawing_engine()
        except ExportUnavailable:
            return False
        return True

    async def of(self, snippet: Snippet, address: str) -> bytes | None:
        """The picture of a link as PNG; None if the picture cannot be drawn. Raises Problem (429, 503)."""
        key = _key(snippet)
        if (known := self._kept.get(key)) is not None:
            return known
        if not self.may_be_drawn(snippet):
            return None
        if (seconds := self._rates.take(address)) > 0:
            raise too_often(int(seconds) + 1)
        if self._waiting >= MOST_WAITING:
            message = "Too many pictures of links are waiting to be drawn."
            raise Problem(503, "too_many_pictures", message, "Try again in 10 seconds.", {"Retry-After": "10"})
        return await self._drawing.result(key, lambda: self._drawn(snippet, address))

    def forget(self, recording: str) -> None:
        """Drop the pictures of a recording, because a link to the recording was deleted."""
        for key in [key for key in self._kept if key[0] == recording]:
            del self._kept[key]

    async def _drawn(self, snippet: Snippet, address: str) -> bytes | None:
        self._waiting += 1
        try:
            async with self._turn:
                drawn = await self._draw(snippet, address)
        finally:
            self._waiting -= 1
        key = _key(snippet)
        if drawn is None:
            self._failed[key] = None
        else:
            self._kept[key] = drawn
        return drawn

    async def _draw(self, snippet: Snippet, address: str) -> bytes | None:
        found = await self._runs.recorded_for(snippet.id)
        if found is None or len(found[0].trace) > MOST_TRACE_BYTES:
            return None
        recording, _ = found
        try:
            explanation = await self._explanations.kept(recording.hash) or await self._explanations.of(recording, address)
            content = document(recording.trace, explanation).whole()
            return (await draw(content, _wanted(snippet.shown), WALL_SECONDS)).content
        except (ExportError, Unreadable) as error:
            structlog.get_logger().warning("link has no picture", recording=recording.hash, error=str(error))
            return None


def _key(snippet: Snippet) -> Key:
    return snippet.recording, snippet.shown


def _wanted(shown: str) -> Wanted:
    """The settings of the preview picture: the memory at the link's step.

    A picture of memory is wide; a graph is high and would be illegible at this size.
    """
    found = re.fullmatch(r"step=([0-9]+)(?:&by=(line|operator))?", shown)
    if found is None:
        return Wanted(step="opening", which="memory", format="png", canvas=SIZE)
    by = cast(By, found[2] or "node")
    return Wanted(step=int(found[1]), by=by, which="memory", format="png", canvas=SIZE)
