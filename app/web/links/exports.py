"""The routes of pictures for papers: of a recent run, and of a link."""

from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from app.export import Wanted
from app.web.api import checked_source, unless_gone
from app.web.edge.clients import client_of
from app.web.edge.prefix import API
from app.web.links.pictures import picture_response
from app.web.models import DrawnSnippet, PictureWanted
from app.web.operations.openapi import TEXT, errors
from app.web.services import services_of

router = APIRouter(prefix=API)

_TYPES: dict[str, Any] = {"image/svg+xml": TEXT, "application/pdf": {}, "image/png": {}, "text/vnd.graphviz": TEXT}
PICTURE: dict[str, Any] = {
    "response_class": Response,
    "response_description": "The picture as a file; its name contains the step.",
    "responses": {
        200: {"content": {kind: {"schema": schema} for kind, schema in _TYPES.items()}},
        **errors(404, 410, 501),
    },
}


@router.post("/pictures", **PICTURE)
async def picture_of_run(snippet: DrawnSnippet, request: Request) -> Response:
    """The graph or the memory of a run at a step, as a file for a paper, in the light theme on a white background.

    The snippet must have run on this server recently. Steps count from 1, as on the page.
    """
    services, requester = services_of(request), client_of(request).requester
    source, wanted = checked_source(snippet.source, services), _wanted(snippet)
    drawn = await unless_gone(
        request,
        lambda _: services.pictures.of_run(source, snippet.seed, snippet.stand_in, snippet.recording_token, wanted, requester),
    )
    return picture_response(drawn, wanted)


@router.post("/snippets/{snippet_id}/picture", **PICTURE)
async def picture_of_link(snippet_id: str, asked: PictureWanted, request: Request) -> Response:
    """The graph or the memory of a link's run at a step, as a file for a paper."""
    services, requester, wanted = services_of(request), client_of(request).requester, _wanted(asked)
    drawn = await unless_gone(request, lambda _: services.pictures.of_link(snippet_id, wanted, requester))
    return picture_response(drawn, wanted)


def _wanted(asked: PictureWanted) -> Wanted:
    named: dict[str, Literal["first", "last"]] = {"first": "first", "last": "last"}
    step = named.get(asked.step) or int(asked.step)
    return Wanted(
        step=step,
        which=asked.picture,
        format=asked.format,
        by=asked.by,
        language=asked.language,
        width=asked.width,
        open=None if asked.open is None else tuple(asked.open),
        open_storages=None if asked.open_storages is None else tuple(asked.open_storages),
        why=asked.why,
    )
