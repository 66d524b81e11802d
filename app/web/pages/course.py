"""The pages of the course: the gallery, and a page for each lesson."""

from itertools import groupby

import msgspec
from fastapi import APIRouter, Request, Response

from app.lessons import by_name, lessons
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem
from app.web.pages.pages import html, page

router = APIRouter(include_in_schema=False)


@router.get("/lessons")
async def gallery(request: Request) -> Response:
    """The page with the list of lessons, in order. Only search and progress need JavaScript."""
    course = [msgspec.to_builtins(lesson) for lesson in lessons()]
    groups = [(group, list(members)) for group, members in groupby(course, lambda lesson: lesson["group"])]
    context = {"lessons": course, "groups": groups, "page_token": client_of(request).page_token}
    return html(request, "lessons.html", 200, context)


@router.get("/lessons/{slug}")
async def lesson(slug: str, request: Request) -> Response:
    """The page of a lesson: the player with the lesson's snippet and texts."""
    return program_page(slug, request)


@router.get("/lessons/{slug}/fixed")
async def fixed(slug: str, request: Request) -> Response:
    """The player with the correct version of a lesson's snippet."""
    return program_page(f"{slug}/fixed", request)


def program_page(name: str, request: Request) -> Response:
    """The page of the program `name`. Raises Problem (404)."""
    found = by_name(name)
    if found is None:
        raise Problem(404, "unknown_lesson", "There is no lesson with this address.", "See the list at /lessons.")
    return page(request, [found], program=name)
