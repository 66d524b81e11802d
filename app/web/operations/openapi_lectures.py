"""How the routes of lectures stand in the OpenAPI description."""

from typing import Any

from app.explain import Document
from app.web.models import LINK, Link
from app.web.operations.openapi_answers import DOCUMENT, SCHEMA, TEXT, answered, errors, model_of

LECTURE_BODY: dict[str, Any] = {
    "title": "What detach shares",
    "author": "Week 3",
    "parts": [
        {"lesson": "detach-writes-the-original", "at": "step=3", "note": {"en": "Two names, one memory."}},
    ],
}
"""An example to publish."""
LECTURE_EXAMPLE: dict[str, Any] = {
    "id": "aB3dE6gH9kL",
    **LECTURE_BODY,
    "created": "2026-11-28T08:00:00Z",
    "parts": [{**LECTURE_BODY["parts"][0], "document": "/api/v1/lessons/detach-writes-the-original/document"}],
}
PLAN_EXAMPLE: dict[str, Any] = {
    "slug": "views",
    "order": 2,
    "title": {"en": "Views", "zh-CN": "视图"},
    "about": {"en": "Who shares memory.", "zh-CN": "谁共享内存。"},
    "minutes": 15,
    "parts": [
        {
            "lesson": "detach-writes-the-original",
            "at": "step=3",
            "note": {"en": "Two names, one memory.", "zh-CN": "两个名字，一块内存。"},
            "asks": {"kind": "cell", "until": "step=4"},
        }
    ],
}


def _schema(name: str) -> dict[str, Any]:
    return {"$ref": SCHEMA.format(name=name)}


def _body(name: str, example: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": _schema(name), "example": example}}
    return {"openapi_extra": {"requestBody": {"required": True, "content": content}}}


PUBLISH: dict[str, Any] = {
    "responses": {
        201: answered("It is kept.", model_of(Link), {**LINK, "url": f"/l/{LINK['id']}"}),
        **errors(403, 409, 410, 413, 415, 422, 507),
    },
    **_body("Lecture", LECTURE_BODY),
}
LECTURE: dict[str, Any] = {
    "responses": {200: answered("The lecture.", _schema("ShownLecture"), LECTURE_EXAMPLE), **errors(404, 410)}
}
EDIT: dict[str, Any] = {
    "responses": {204: {"description": "It reads so from now on."}, **errors(403, 404, 409, 410, 413, 422)},
    **_body("LectureChange", {"title": "What detach shares"}),
}
DELETE: dict[str, Any] = {"responses": {204: {"description": "It is gone."}, **errors(403, 404)}}
REPORT: dict[str, Any] = {
    "responses": {204: {"description": "It is noted, or was before."}, **errors(403, 404, 410, 413, 415, 422)},
}
PLANS: dict[str, Any] = {
    "responses": {
        200: answered("Every plan.", {"type": "array", "items": _schema("Plan")}, [PLAN_EXAMPLE]),
        **errors(),
    }
}
PLAN: dict[str, Any] = {"responses": {200: answered("The plan.", _schema("Plan"), PLAN_EXAMPLE), **errors(404)}}
LESSON_DOCUMENT: dict[str, Any] = {
    "responses": {200: answered("The document.", model_of(Document), DOCUMENT), **errors(404)},
}
QR: dict[str, Any] = {
    "responses": {
        200: {"description": "The code, black on white.", "content": {"image/svg+xml": {"schema": TEXT}}},
        **errors(404, 409, 410),
    }
}
FILE: dict[str, Any] = {
    "responses": {
        200: {"description": "The file, to be saved.", "content": {"text/html": {"schema": TEXT}}},
        **errors(404, 409, 410, 413, 422),
    }
}
