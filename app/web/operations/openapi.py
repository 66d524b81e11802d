"""The OpenAPI description of each route: its errors, and examples."""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app import __version__
from app.explain import Document
from app.explain.corrected.gradients import KnownGradients, SameGradients, UnknownGradients
from app.lectures import Lecture, Plan
from app.lessons import Lesson
from app.web.edge.prefix import API
from app.web.lectures.kept_lectures import LectureChange, ShownLecture
from app.web.models import EXAMPLE_SOURCE, LINK, Address, Error, Health, Link
from app.web.operations.openapi_answers import DOCUMENT, RETRY_AFTER, SCHEMA, TEXT, answered, errors, model_of
from app.web.runs.trials import Trials

SHARED_EXAMPLE = {"id": "aB3dE6gH9kL", "source": "torch.ones(3)\n", "seed": 0, "document": DOCUMENT}
HEALTH_EXAMPLE: dict[str, Any] = Health.model_config["json_schema_extra"]["examples"][0]  # type: ignore[index, assignment]
REFUSING: dict[str, Any] = {
    "status": "refusing",
    "refusal": "The sandbox ended several times in a row; it is started again in a while.",
}
LESSON_EXAMPLE = {
    "slug": "detach-writes-the-original",
    "order": 10,
    "group": "memory",
    "title": {"en": "`detach` shares", "zh-CN": "`detach` 共享内存"},
    "claim": {"en": "`detach` copies.", "zh-CN": "`detach` 会复制。"},
    "question": {"en": "Does it?", "zh-CN": "会吗？"},
    "choices": [{"en": "yes", "zh-CN": "会"}, {"en": "no", "zh-CN": "不会"}],
    "answer": 2,
    "verdict": "wrong",
    "why": {"en": "Both share one storage.", "zh-CN": "两者共用同一块存储。"},
    "snippet": {"source": EXAMPLE_SOURCE, "proof": [{"line": 1, "expression": "x.is_leaf", "value": "True"}]},
    "fixed": {"source": "x = torch.ones(2)\n", "proof": [{"line": 1, "expression": "x.is_leaf", "value": "True"}]},
    "now_try": {
        "task": {"en": "Make `x` a tensor of three elements.", "zh-CN": "让 `x` 有三个元素。"},
        "checks": [{"expression": "x.numel()", "value": "3"}],
        "change": [{"line": 1, "to": "x = torch.ones(3)"}],
    },
}


APART: dict[str, Any] = {
    "type": "object",
    "description": f"A large document for who accepts application/x-ndjson: its trace is at {API}/recordings/{{recording_hash}}.",
    "properties": {
        "recording": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "findings": {"type": "array", "items": {"$ref": SCHEMA.format(name="Finding")}},
        "unfinished": {"type": "integer", "minimum": 0},
        "end_arguments": {"type": "object"},
        "recording_token": {"type": "string"},
    },
    "required": ["recording"],
}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


STREAM = """
event: queued
data: {"run": "4be1c77b3e6d2a90", "position": 3}

event: running
data: {"run": "4be1c77b3e6d2a90", "line": 12, "statements": 40, "operators": 311}

event: document
data: {"trace": {"...": "..."}, "findings": []}

""".lstrip()


def _event(name: str, said: dict[str, Any]) -> dict[str, Any]:
    content = {"type": "string", "contentMediaType": "application/json", "contentSchema": said}
    return _object({"event": {"const": name}, "data": content}, ["event", "data"])


EITHER = {"anyOf": [model_of(Document), APART]}
COUNT = {"type": "integer", "minimum": 0}
EVENTS = [
    _event("queued", _object({"run": TEXT, "position": {"type": "integer", "minimum": 1}}, ["run", "position"])),
    _event(
        "running",
        _object(
            {"run": TEXT, "line": COUNT, "statements": COUNT, "operators": COUNT}, ["run", "line", "statements", "operators"]
        ),
    ),
    _event("document", EITHER),
    _event(
        "error",
        _object(
            {"error": TEXT, "message": TEXT, "hint": TEXT, "retry_after": {"type": "integer"}}, ["error", "message", "hint"]
        ),
    ),
]
TRACES: dict[str, Any] = {
    "responses": {
        200: {
            "description": (
                "The run ended, in whatever way. As `text/event-stream`: any number of `queued` (position 1 is the next) and "
                f"`running` events, each with the `run` that `DELETE {API}/runs/{{run_id}}` stops, and at the end `document` or "
                "`error` (an Error, with `retry_after` in seconds where trying again helps). Lines that begin with a colon only "
                "keep the connection awake."
            ),
            "content": {
                "application/json": {"schema": EITHER, "example": DOCUMENT},
                "text/event-stream": {"schema": {"description": "Of each event.", "oneOf": EVENTS}, "example": STREAM},
            },
        },
        **errors(403, 413, 415, 422),
    }
}
STOP: dict[str, Any] = {
    "responses": {204: {"description": "It ends now."}, **errors(403, 404, 503)},
}
SHARE: dict[str, Any] = {
    "responses": {
        201: answered("It is kept.", model_of(Link), LINK),
        **errors(403, 413, 415, 422, 507),
    }
}
HEADING: dict[str, Any] = {
    "responses": {204: {"description": "It stands above the link from now on."}, **errors(403, 404, 413, 415, 422)},
}
REPORT: dict[str, Any] = {
    "responses": {204: {"description": "It is noted, or was before."}, **errors(403, 404, 410, 413, 415, 422)},
}
DELETE: dict[str, Any] = {
    "responses": {
        204: {"description": "It is gone, and its recording with it unless another link shows that."},
        **errors(403, 404),
    },
}
TOLD = """In the words of whoever shared it: Ones

line 1: x = torch.ones(3)
    x is a new tensor of shape (3,), with a new storage S0.
The snippet ran to its end.
"""
SHARED: dict[str, Any] = {
    "responses": {
        200: answered(
            "The snippet and its document. What is empty or false is left out, but for these four. As text: what the run did.",
            _object(
                {
                    "id": TEXT,
                    "source": TEXT,
                    "seed": {"type": "integer"},
                    "stand_in": {"type": "boolean"},
                    "document": EITHER,
                    "notice": _object({"kind": {"const": "recorded_again"}, "message": TEXT}, ["kind", "message"]),
                    "title": TEXT,
                    "author": TEXT,
                    "notes": {"type": "object", "additionalProperties": TEXT},
                    "parent": _object({"id": TEXT, "title": TEXT, "author": TEXT}, ["id"]),
                },
                ["id", "source", "seed", "document"],
            ),
            SHARED_EXAMPLE,
            TOLD,
        ),
        **errors(404, 409, 410, 413, 422),
    }
}
ADDRESS_EXAMPLE = {"address": "https://stepgrad.example", "nearby": [], "listens": True, "embeds": True}
ADDRESS: dict[str, Any] = {"responses": {200: answered("It is told.", model_of(Address), ADDRESS_EXAMPLE)}}
QR: dict[str, Any] = {
    "responses": {
        200: {"description": "The code, black on white.", "content": {"image/svg+xml": {"schema": TEXT}}},
        **errors(404, 409, 410, 422),
    }
}
PICTURE: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The picture as a file; its name says the step.",
            "content": {
                "image/svg+xml": {"schema": TEXT},
                "application/pdf": {"schema": {}},
                "image/png": {"schema": {}},
                "text/vnd.graphviz": {"schema": TEXT},
            },
        },
        **errors(403, 404, 410, 413, 415, 422, 501),
    }
}
FILE: dict[str, Any] = {
    "responses": {
        200: {"description": "The file, to be saved.", "content": {"text/html": {"schema": TEXT}}},
        **errors(404, 409, 410, 413, 422),
    }
}
RECORDING: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The trace in pieces: lines of at most about 1 MiB. What a piece is says app/trace/FORMAT.md.",
            "content": {
                "application/x-ndjson": {
                    "schema": {"type": "string"},
                    "example": '{"pieces":2,"source":"x","header":{"...":"..."},"ended":{"kind":"finished"}}\n{"steps":[]}\n',
                }
            },
        },
        304: {"description": "It is as it was."},
        **errors(404),
    }
}
CORRECTED_EXAMPLE = {
    "kind": "right",
    "step": 9,
    "node": 2,
    "gradients": [
        {
            "tensor": 0,
            "name": "x",
            "is_grad": True,
            "shape": [1],
            "wrong": {"kind": "cells", "dtype": "float32", "values": [400.0]},
            "right": {"kind": "cells", "dtype": "float32", "values": [4.0]},
        }
    ],
}
CORRECTED: dict[str, Any] = {
    "responses": {
        200: answered(
            "What the gradients would have been, or that they are the same, or why it is unknown.",
            {"oneOf": [model_of(kind) for kind in (KnownGradients, SameGradients, UnknownGradients)]},
            CORRECTED_EXAMPLE,
        ),
        **errors(403, 404, 410, 413, 415, 422),
    }
}
TRIALS_EXAMPLE = {
    "trials": [
        {"finding": 1, "fix": 0, "verdict": "works", "reason": ""},
        {"finding": 0, "fix": 0, "verdict": "fails", "reason": "raises"},
    ]
}
TRIALS: dict[str, Any] = {
    "responses": {
        200: answered(
            "Every fix that is asked for: whether it works, fails or was not tried, and why (see app/explain/tried).",
            model_of(Trials),
            TRIALS_EXAMPLE,
        ),
        **errors(403, 404, 410, 413, 415, 422),
    }
}
LESSONS: dict[str, Any] = {
    "responses": {
        200: answered("Every lesson.", {"type": "array", "items": {"$ref": SCHEMA.format(name="Lesson")}}, [LESSON_EXAMPLE]),
        **errors(),
    }
}
LESSON: dict[str, Any] = {
    "responses": {
        200: answered("The lesson.", {"$ref": SCHEMA.format(name="Lesson")}, LESSON_EXAMPLE),
        **errors(404),
    }
}
UP = "It is up; for whoever does not run this server without the keys from `running` on."
HEALTH: dict[str, Any] = {
    "responses": {
        200: answered(UP, model_of(Health), HEALTH_EXAMPLE),
        **errors(),
        503: {
            **answered(
                "It takes no runs, or is busy with too many requests.",
                {"anyOf": [model_of(Health), model_of(Error)]},
                {**HEALTH_EXAMPLE, **REFUSING},
            ),
            "headers": RETRY_AFTER,
        },
    }
}
NOT_FOR_YOU = {
    "error": "operators_only",
    "message": "Only those who run this server see this.",
    "hint": "They list their networks in STEPGRAD_OPERATORS.",
}
DEEP_HEALTH: dict[str, Any] = {
    "responses": {**HEALTH["responses"], 403: answered("Somebody else asked.", model_of(Error), NOT_FOR_YOU)},
}


PAGE_TOKEN = {
    "name": "X-Page-Token",
    "in": "header",
    "required": False,
    "description": (
        'Who the visitor is where there are no cookies, from the page\'s `<meta name="page-token">`. Without either, the answer '
        "brings the cookie `stepgrad_visitor`. Of one visitor one run goes and one more waits."
    ),
    "schema": TEXT,
}


def _in_ecma_script(schema: Any) -> Any:
    """The same schema with patterns for JSON Schema, in which ^ and $ match only the ends of a text."""
    if isinstance(schema, dict):
        return {
            key: value.replace("\\A", "^").replace("\\Z", "$")
            if key == "pattern" and isinstance(value, str)
            else _in_ecma_script(value)
            for key, value in schema.items()
        }
    return [_in_ecma_script(item) for item in schema] if isinstance(schema, list) else schema


def openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, including the schema of the trace format."""
    description = get_openapi(title="Stepgrad", version=__version__, description=app.description, routes=app.routes)
    _, trace_schemas = msgspec.json.schema_components(
        [
            *(Document, Lesson, KnownGradients, SameGradients, UnknownGradients, Trials),
            *(Lecture, LectureChange, Plan, ShownLecture),
        ],
        ref_template=SCHEMA,
    )
    for methods in description["paths"].values():
        for operation in methods.values():
            operation.setdefault("parameters", []).append(PAGE_TOKEN)
            if "HTTPValidationError" in str(operation["responses"].get("422")):
                del operation["responses"]["422"]  # FastAPI's own, for parameters that are any text and cannot fail
    schemas = description["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas.update(_in_ecma_script(trace_schemas))
    for model in (Address, Error, Health, Link):
        schemas[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return description
