"""Recordings in frames of other sites: the embedded page, and oEmbed (oembed.com)."""

import json
import re
from typing import Annotated, Final, Literal
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Query, Request, Response
from markupsafe import escape
from pydantic import BaseModel, ConfigDict

from app.store import Snippet
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem, embed_gone
from app.web.links.legible import legible
from app.web.pages.pages import html
from app.web.services import services_of

router = APIRouter(include_in_schema=False)

WIDTH: Final = 720
HEIGHT: Final = 540
"""Default height of a frame in px."""

MOST_STEPS: Final = 2**31
_STEP: Final = re.compile(r"[1-9][0-9]{0,9}")
_GRANULARITIES: Final = ("line", "node", "operator")


class FrameQuery(BaseModel):
    """The parameters of a frame. Other parameters are not allowed."""

    model_config = ConfigDict(extra="forbid")

    theme: Literal["light", "dark", "auto"] = "auto"
    step: Annotated[int, Query(ge=1, le=MOST_STEPS)] | None = None
    """The step to show, from 1; None for the step at which the player opens the run."""
    by: Literal["line", "node", "operator"] = "node"
    """The unit of `step`."""
    picture: Literal["graph", "memory"] | None = None
    """The picture to show; None for the graph if the run has one, else for the memory."""
    language: Literal["en", "zh-CN"] | None = None
    """The language of the player; None for the language of the browser."""


@router.get("/embed/{snippet_id}")
async def embed(snippet_id: str, request: Request, asked: Annotated[FrameQuery, Query()]) -> Response:
    """A compact player of a link's recording. The page never runs a snippet and sets no cookies. Raises Problem (410)."""
    services = services_of(request)
    snippet = await _shown(snippet_id, request)
    context = {
        "asked": asked.model_dump(),
        "snippet": snippet,
        "ancestors": services.embed_ancestors,
        "versions": services.environment().versions,
        "page_token": client_of(request).page_token,
    }
    response = html(request, "embed.html", 200, context)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@router.get("/oembed")
async def oembed(
    request: Request,
    url: Annotated[str, Query(max_length=2000)],
    maxwidth: Annotated[int, Query(ge=1)] = WIDTH,
    maxheight: Annotated[int, Query(ge=1)] = HEIGHT,
    format: Annotated[str, Query(max_length=20)] = "json",  # noqa: A002 (the specification's word)
) -> Response:
    """The oEmbed description of a link's frame. Raises Problem (404, 501)."""
    if format != "json":
        raise Problem(501, "only_json", "This server supports oEmbed only in JSON.", "Use format=json.")
    services = services_of(request)
    address = services.public_address.reached(request)
    found = re.fullmatch(re.escape(f"{address}/s/") + r"([A-Za-z0-9]{1,64})(?:#(.*))?", url)
    if found is None or not services.embed_ancestors:
        message = "There is no recording at this address that other pages may embed."
        hint = "Send the link of a recording. The operator of its server must have set STEPGRAD_EMBED_ANCESTORS."
        raise Problem(404, "not_embedded", message, hint)
    try:
        snippet = await _shown(found[1], request)
    except Problem as gone:
        raise Problem(404, "not_embedded", gone.message, gone.hint) from None
    title = legible(snippet.title) or "Stepgrad"
    width, height = min(WIDTH, maxwidth), min(HEIGHT, maxheight)
    framed = f"{address}/embed/{snippet.id}{_place(found[2] or '')}"
    description = {
        "version": "1.0",
        "type": "rich",
        "title": title,
        **({"author_name": legible(snippet.author)} if snippet.author else {}),
        "provider_name": "Stepgrad",
        "provider_url": f"{address}/",
        "html": frame(framed, title, width, height),
        "width": width,
        "height": height,
    }
    return Response(json.dumps(description), headers={"Cache-Control": "no-cache"}, media_type="application/json")


def frame(address: str, title: str, width: int, height: int) -> str:
    """The iframe element for `address`."""
    return (
        f'<iframe src="{escape(address)}" title="{escape(title)}" width="{width}" height="{height}" '
        'loading="lazy" style="border:0;max-width:100%"></iframe>'
    )


def _place(fragment: str) -> str:
    """The query of a frame's URL for the step that a link's fragment names. Other parts of the fragment are dropped."""
    parameters = dict(parse_qsl(fragment))
    step, by = parameters.get("step", ""), parameters.get("by", "")
    kept = {
        **({"step": step} if _STEP.fullmatch(step) and int(step) <= MOST_STEPS else {}),
        **({"by": by} if by in _GRANULARITIES else {}),
    }
    return f"?{urlencode(kept)}" if kept else ""


async def _shown(snippet_id: str, request: Request) -> Snippet:
    try:
        return await services_of(request).runs.kept(snippet_id)
    except Problem as problem:
        if problem.error in ("unknown_snippet", "held_back"):
            raise embed_gone() from None
        raise
