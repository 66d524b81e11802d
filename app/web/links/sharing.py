"""Public URL of the server, QR codes of links, single-file export, and reports."""

import asyncio
import io
from functools import lru_cache
from typing import Annotated, Final, Literal

import segno
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from app.standalone import standalone
from app.web.edge.clients import client_of, reporter_of
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.links.legible import legible
from app.web.models import Address, Report
from app.web.operations.openapi import errors
from app.web.runs.documents import with_corrected
from app.web.services import services_of

router = APIRouter(prefix=API)

DRAWN_CODES: Final = 256
"""Maximum number of cached QR codes, of up to 32 KiB each. The drawing of a code takes 30 to 300 ms, measured."""

At = Annotated[str, Query(max_length=1600, pattern=r"^[A-Za-z0-9=&._~,%-]*$")]
"""The fragment to append to a link: the step and the view."""


class Drawn(Response):
    """A picture."""

    media_type = "image/svg+xml"


@router.get("/address", response_model=Address, response_description="The public URL, or candidates.")
async def address(request: Request) -> Response:
    """The public URL of this server, or candidates if the URL is unknown."""
    services = services_of(request)
    public = services.public_address
    found = public.of(request)
    nearby = public.nearby(request) if found is None else []
    answer = Address(address=found, nearby=nearby, listens=public.is_open, embeds=bool(services.embed_ancestors))
    return Response(answer.model_dump_json(), headers={"Cache-Control": "no-store"}, media_type="application/json")


@router.get(
    "/snippets/{snippet_id}/qr.svg",
    response_class=Drawn,
    response_description="The code, black on white.",
    responses=errors(409, 410),
)
async def qr(snippet_id: str, request: Request, at: At = "") -> Response:
    """A link as a QR code, with `at` as fragment. Raises Problem (404, 409, 410)."""
    services = services_of(request)
    snippet = await services.runs.kept(snippet_id)
    public = reachable(request)
    return await drawn_code(f"{public}/s/{snippet.id}{'#' if at else ''}{at}")


def reachable(request: Request) -> str:
    """The public URL of this server. Raises Problem (409) if the URL is unknown."""
    public = services_of(request).public_address.of(request)
    if public is None:
        message = "Other devices cannot reach this page at a loopback address."
        raise Problem(409, "no_public_address", message, f"See {API}/address for addresses in the network.")
    return public


async def drawn_code(link: str) -> Response:
    """A link as a QR code."""
    drawn = await asyncio.to_thread(_drawn, link)
    return Drawn(drawn, headers={"Cache-Control": "private, no-cache"})


@lru_cache(maxsize=DRAWN_CODES)
def _drawn(link: str) -> bytes:
    drawn = io.BytesIO()
    code = segno.make(link, micro=False, error="m", boost_error=False)
    code.save(drawn, kind="svg", border=4, xmldecl=False, light="#fff", omitsize=True)
    return drawn.getvalue()


MOST_FILE_BYTES: Final = 8 << 20
"""Maximum size of a document in a single file, because the document is in memory twice."""


@router.get(
    "/snippets/{snippet_id}/recording.html",
    response_class=HTMLResponse,
    response_description="The file, to be saved.",
    responses=errors(409, 410, 413),
)
async def file(snippet_id: str, request: Request, language: Literal["en", "zh-CN"] = "en") -> Response:
    """A link as one HTML file that replays the run offline. Raises Problem (404, 409, 410, 413)."""
    services = services_of(request)
    snippet, found = await services.runs.document_of(snippet_id, client_of(request).requester.address)
    if found.size > MOST_FILE_BYTES:
        message = f"This recording has {found.size} bytes; the limit for a file is {MOST_FILE_BYTES}."
        raise Problem(413, "too_large_for_file", message, "Use `stepgrad trace FILE -o run.html` on your own machine.")
    corrected = await services.corrections.in_link(snippet_id, client_of(request).requester)
    content = with_corrected(await found.loaded(), corrected).whole()
    made = await asyncio.to_thread(standalone, content, legible(snippet.title), language)
    headers = {
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="stepgrad-{snippet.id}.html"',
    }
    return HTMLResponse(made, headers=headers)


@router.post(
    "/snippets/{snippet_id}/reports",
    status_code=204,
    response_description="The report is stored, or was before.",
    responses=errors(410),
)
async def report(snippet_id: str, report: Report, request: Request) -> Response:
    """Report a link to the operator. A visitor's reports of a link count once."""
    await services_of(request).runs.report(snippet_id, reporter_of(client_of(request)), report.reason)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})
