"""The pages of published lectures, of the plans that ship with Stepgrad, and of the list of plans."""

from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from app.lectures import plan_of, plans
from app.web.edge.clients import client_of
from app.web.lectures.kept_lectures import shown_plan, unknown_lecture
from app.web.pages.pages import html
from app.web.services import services_of

router = APIRouter(include_in_schema=False)


@router.get("/l/{lecture_id}")
async def published(lecture_id: str, request: Request) -> Response:
    """The page of a published lecture. Raises Problem (404, 410)."""
    shown = await services_of(request).lectures.shown(lecture_id)
    response = lecture_page(request, msgspec.to_builtins(shown), None)
    response.headers["X-Robots-Tag"] = "noindex"  # a lecture is only for the people who received the link
    return response


@router.get("/lectures")
async def listed(request: Request) -> Response:
    """The page with the list of plans."""
    context = {"plans": [msgspec.to_builtins(plan) for plan in plans()]}
    return html(request, "lectures.html", 200, context)


@router.get("/lectures/{slug}")
async def plan(slug: str, request: Request) -> Response:
    """The page of a plan, to read or to present. Raises Problem (404)."""
    found = plan_of(slug)
    if found is None:
        raise unknown_lecture()
    return lecture_page(request, shown_plan(found), msgspec.to_builtins(found))


def lecture_page(request: Request, lecture: dict[str, Any], plan: dict[str, Any] | None) -> Response:
    """The page for `lecture`. For a plan, the template also has the plan's title and description in both languages."""
    services = services_of(request)
    context = {
        "lecture": lecture,
        "plan": plan,
        "versions": services.environment().versions,
        "page_token": client_of(request).page_token,
    }
    return html(request, "lecture.html", 200, context)
