"""Pictures of recordings for papers, with limits per address and in total."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
from starlette.responses import Response

from app.engine import Refused, Requester
from app.explainers import Unreadable
from app.export import Drawn, ExportUnavailable, NoSuchStep, PictureTooLarge, Wanted, draw
from app.networks import NetworkCounts
from app.store import Recording
from app.trace.records import Request
from app.web.edge.errors import Problem
from app.web.operations.metrics import Metrics
from app.web.runs.corrections import Corrections
from app.web.runs.documents import document, with_corrected
from app.web.runs.explanations import Explanations
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight

PLACES: Final = 2
"""Maximum number of pictures drawn at the same time, each in its own process."""

MOST_WAITING: Final = 20
MOST_OF_ONE_ADDRESS: Final = 6
"""Maximum number of queued pictures, and of pictures for one address."""

WAITING_SECONDS: Final = 20.0

TYPES: Final = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "dot": "text/vnd.graphviz; charset=utf-8",
}

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""Content-Security-Policy of an SVG opened as a page: no scripts, no requests."""


class Pictures:
    """Draws pictures in sandboxed children. Concurrent requests for the same picture share one drawing."""

    def __init__(self, explanations: Explanations, runs: Runs, corrections: Corrections, metrics: Metrics) -> None:
        self._corrections = corrections
        self._explanations = explanations
        self._runs = runs
        self._metrics = metrics
        self._drawing: SingleFlight[Drawn] = SingleFlight()
        self._places = asyncio.Semaphore(PLACES)
        self._of_address = NetworkCounts()
        self._waiting = 0

    async def of_run(
        self, source: str, seed: int, stand_in: bool, token: str | None, wanted: Wanted, requester: Requester
    ) -> Drawn:
        """The picture of the recording that `token` names, or of the latest recording.

        Raises Problem (404, 422, 501) and Refused.
        """
        found = await self._runs.recorded(source, seed, stand_in, token, requester.visitor)
        return await self._picture(*found, wanted, requester)

    async def of_link(self, snippet_id: str, wanted: Wanted, requester: Requester) -> Drawn:
        """The picture of a link's recording. Raises Problem (404, 410, 422, 501) and Refused."""
        found = await self._runs.recorded_for(snippet_id)
        if found is None:
            raise Problem(404, "unknown_run", "The recording of this link is no longer readable.", "Open the link again.")
        return await self._picture(*found, wanted, requester)

    async def _picture(self, recording: Recording, request: Request, wanted: Wanted, requester: Requester) -> Drawn:
        try:
            drawn = await self._drawing.result(
                (recording.hash, wanted), lambda: self._draw(recording, request, wanted, requester)
            )
        except NoSuchStep as error:
            raise Problem(404, "unknown_step", str(error), "Choose a step of this run.") from None
        except PictureTooLarge as error:
            raise self._failed(wanted, Problem(422, "picture_too_large", str(error), "Draw a smaller run.")) from None
        except ExportUnavailable as error:
            hint = "Tell the operator of this server, or save the picture as DOT."
            raise self._failed(wanted, Problem(501, "no_pictures", str(error), hint)) from None
        self._metrics.drawn(wanted.format, "drawn")
        return drawn

    def _failed(self, wanted: Wanted, problem: Problem) -> Problem:
        self._metrics.drawn(wanted.format, problem.error)
        return problem

    async def _draw(self, recording: Recording, request: Request, wanted: Wanted, requester: Requester) -> Drawn:
        corrected = await self._corrections.in_document(recording, request, requester)
        async with self._in_turn(requester.address):
            kept = await self._explanations.kept(recording.hash)
            try:
                explanation = kept or await self._explanations.of(recording, requester.address)
            except Unreadable:
                raise Problem(404, "unknown_run", "The recording of this run is no longer readable.", "Run it again.") from None
            loop = asyncio.get_running_loop()
            began = loop.time()
            drawn = await draw(with_corrected(document(recording.trace, explanation), corrected).whole(), wanted)
        took = round(loop.time() - began, 2)
        size = len(drawn.content)
        structlog.get_logger().info("picture", address=requester.address, format=wanted.format, bytes=size, seconds=took)
        return drawn

    @asynccontextmanager
    async def _in_turn(self, address: str) -> AsyncIterator[None]:
        """Hold a slot while the block lasts. Raises Refused."""
        if self._of_address.reached(address, MOST_OF_ONE_ADDRESS):
            raise Refused("address", "The maximum number of pictures for your network address is already being drawn.", 5)
        if self._waiting >= MOST_WAITING:
            raise Refused("pictures", "Too many pictures are waiting to be drawn.", 10)
        self._of_address.add(address)
        self._waiting += 1
        try:
            try:
                async with asyncio.timeout(WAITING_SECONDS):
                    await self._places.acquire()
            except TimeoutError:
                raise Refused("pictures", "The picture waited too long for a slot.", 10) from None
            finally:
                self._waiting -= 1
            try:
                yield
            finally:
                self._places.release()
        finally:
            self._of_address.remove(address)


def picture_response(drawn: Drawn, wanted: Wanted) -> Response:
    """The response with the picture as a file with a descriptive name."""
    name = f"stepgrad-{wanted.which}-step-{drawn.step}.{wanted.format}"
    headers = {
        "Content-Type": TYPES[wanted.format],
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
    }
    return Response(drawn.content, headers=headers)
