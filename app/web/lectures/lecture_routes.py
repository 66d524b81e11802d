"""The HTTP API of lectures: publish, read, edit and delete a lecture; and the plans that ship with Stepgrad."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import HTMLResponse

from app.explain import Document
from app.lectures import Lecture, LectureError, Plan, decode_lecture, plan_of, plans
from app.lessons import Program, by_name
from app.standalone import standalone_lecture
from app.web.api import unless_gone
from app.web.edge.clients import client_of, reporter_of
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.lectures.kept_lectures import LectureChange, ShownLecture, no_lecture, shown_plan, unknown_lecture
from app.web.links.legible import legible
from app.web.links.sharing import MOST_FILE_BYTES, Drawn, drawn_code, reachable
from app.web.models import Link, Report
from app.web.operations.openapi import answer_of, body_of, errors
from app.web.runs.documents import Json, json_response
from app.web.services import services_of

router = APIRouter(prefix=API)
UNCACHED = {"Cache-Control": "no-store"}
FILE: dict[str, Any] = {
    "response_class": HTMLResponse,
    "response_description": "The file, to be saved.",
    "responses": errors(409, 410, 413),
}
_CHANGE = msgspec.json.Decoder(LectureChange)


@router.post(
    "/lectures",
    status_code=201,
    response_model=Link,
    response_description="The lecture was stored.",
    responses=errors(409, 410, 507),
    openapi_extra=body_of(Lecture),
)
async def publish(request: Request) -> Response:
    """Store a lecture: recordings of links or lessons at steps, with notes, questions and the number of each answer.

    The lecture counts as a link in its creator's quota. Individual answers are neither sent nor stored.
    """
    content = await request.body()
    try:
        lecture = decode_lecture(content)
    except LectureError as error:
        raise no_lecture(str(error)) from None
    keep = services_of(request).lectures.keep(lecture, client_of(request).requester)
    lecture_id, token = await unless_gone(request, lambda _: keep)
    link = Link(id=lecture_id, url=f"/l/{lecture_id}", deletion_token=token)
    headers = {"Location": f"{API}/lectures/{lecture_id}", **UNCACHED}
    return Response(link.model_dump_json(), 201, headers, "application/json")


@router.get(
    "/lectures/{lecture_id}",
    response_description="The lecture.",
    responses={**answer_of(ShownLecture), **errors(410)},
)
async def lecture(lecture_id: str, request: Request) -> Response:
    """A lecture, with the URL of each part's document. null means that the link was deleted or is held."""
    shown = await services_of(request).lectures.shown(lecture_id)
    return await json_response(msgspec.to_builtins(shown), request.headers)


@router.patch(
    "/lectures/{lecture_id}",
    status_code=204,
    response_description="The lecture was changed.",
    responses=errors(409, 410),
    openapi_extra=body_of(LectureChange),
)
async def edit(lecture_id: str, request: Request, x_deletion_token: Annotated[str, Header()] = "") -> Response:
    """Change the title, author or parts of a lecture. Needs the deletion token of the lecture.

    Omitted fields do not change. A changed lecture may keep a part whose link was deleted.
    """
    content = await request.body()
    try:
        change = _CHANGE.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise no_lecture(f"{error}.") from None
    written = services_of(request).lectures.change(lecture_id, x_deletion_token, change, client_of(request).requester)
    await unless_gone(request, lambda _: written)
    return Response(status_code=204, headers=UNCACHED)


@router.delete("/lectures/{lecture_id}", status_code=204, response_description="The lecture was deleted.")
async def delete(lecture_id: str, request: Request, x_deletion_token: Annotated[str, Header()] = "") -> Response:
    """Delete a lecture, but not the lecture's links. Needs the deletion token of the lecture."""
    await services_of(request).lectures.delete(lecture_id, x_deletion_token)
    return Response(status_code=204, headers=UNCACHED)


@router.post(
    "/lectures/{lecture_id}/reports",
    status_code=204,
    response_description="The report is stored, or was before.",
    responses=errors(410),
)
async def report(lecture_id: str, report: Report, request: Request) -> Response:
    """Report a lecture to the operator. A visitor's reports of a lecture count once."""
    await services_of(request).lectures.report(lecture_id, reporter_of(client_of(request)), report.reason)
    return Response(status_code=204, headers=UNCACHED)


@router.get(
    "/lectures/{lecture_id}/qr.svg",
    response_class=Drawn,
    response_description="The code, black on white.",
    responses=errors(409, 410),
)
async def qr(lecture_id: str, request: Request) -> Response:
    """The link of a lecture as a QR code. Raises Problem (404, 409, 410)."""
    shown = await services_of(request).lectures.shown(lecture_id)
    return await drawn_code(f"{reachable(request)}/l/{shown.id}")


@router.get("/plans", response_description="Every plan.", responses=answer_of(list[Plan]))
async def all_plans(request: Request) -> Response:
    """Every plan, in every language. A plan is a lecture of about 15 minutes over the course's lessons."""
    return await json_response([msgspec.to_builtins(plan) for plan in plans()], request.headers)


@router.get("/plans/{slug}", response_description="The plan.", responses=answer_of(Plan))
async def plan(slug: str, request: Request) -> Response:
    """One plan, in every language."""
    found = plan_of(slug)
    if found is None:
        raise unknown_lecture()
    return await json_response(msgspec.to_builtins(found), request.headers)


@router.get("/lectures/{lecture_id}/lecture.html", **FILE)
async def file(lecture_id: str, request: Request, language: Literal["en", "zh-CN"] = "en") -> Response:
    """A lecture as one HTML file with its recordings, for use offline. Raises Problem (404, 409, 410, 413)."""
    shown = await services_of(request).lectures.shown(lecture_id)
    return await _file(request, msgspec.to_builtins(shown), shown.title, language)


@router.get("/plans/{slug}/lecture.html", **FILE)
async def plan_file(slug: str, request: Request, language: Literal["en", "zh-CN"] = "en") -> Response:
    """A plan as one HTML file with its recordings, for use offline."""
    found = plan_of(slug)
    if found is None:
        raise unknown_lecture()
    return await _file(request, shown_plan(found), getattr(found.title, language.lower().replace("-", "_")), language)


async def _file(request: Request, lecture: dict[str, Any], title: str, language: str) -> Response:
    async with services_of(request).large_in_turn.turn(client_of(request).requester.address):
        return await _made_file(request, lecture, title, language)


async def _made_file(request: Request, lecture: dict[str, Any], title: str, language: str) -> Response:
    documents: dict[str, bytes] = {}
    left = MOST_FILE_BYTES
    for part in lecture["parts"]:
        address = part.get("document")
        if address is None or address in documents:
            continue
        found = await _document_at(part, request)
        left -= found.size
        if left < 0:
            message = f"The recordings of this lecture have more than {MOST_FILE_BYTES} bytes, which is the limit for one file."
            raise Problem(413, "too_large_for_lecture_file", message, "Read the lecture at its link.")
        documents[address] = (await found.loaded()).whole()
    made = await asyncio.to_thread(standalone_lecture, msgspec.json.encode(lecture), documents, legible(title), language)
    name = lecture.get("id") or lecture["slug"]
    headers = {"Cache-Control": "private, no-cache", "Content-Disposition": f'attachment; filename="stepgrad-{name}.html"'}
    return HTMLResponse(made, headers=headers)


async def _document_at(part: dict[str, Any], request: Request) -> Json:
    """Return the document that a part of a lecture shows. Raises Problem (409)."""
    runs = services_of(request).runs
    if "lesson" in part:
        source = _program(part["lesson"]).source
        return await unless_gone(request, lambda pending: runs.run(source, 0, False, pending, anew=False))
    _, found = await runs.document_of(part["snippet"], client_of(request).requester.address)
    return found


@router.get("/lessons/{slug}/document", response_description="The document.", responses=answer_of(Document))
async def document(slug: str, request: Request) -> Response:
    """The recording of a lesson's snippet: this server's latest recording, else the recording of a new run."""
    return await _document(slug, request)


@router.get("/lessons/{slug}/fixed/document", response_description="The document.", responses=answer_of(Document))
async def fixed_document(slug: str, request: Request) -> Response:
    """The recording of the correct version of a lesson's snippet."""
    return await _document(f"{slug}/fixed", request)


async def _document(name: str, request: Request) -> Response:
    runs, source = services_of(request).runs, _program(name).source
    body = await unless_gone(request, lambda pending: runs.run(source, 0, False, pending, anew=False))
    return await json_response(body, request.headers)


def _program(name: str) -> Program:
    """The program of the course with this name. Raises Problem (404)."""
    lesson = by_name(name)
    program = None if lesson is None else lesson.fixed if name.endswith("/fixed") else lesson.snippet
    if program is None:
        raise Problem(404, "unknown_lesson", "There is no lesson with this address.", f"See the list at {API}/lessons.")
    return program
