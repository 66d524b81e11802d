"""The OpenAPI description: FastAPI's description of the routes, plus the errors of routes and the types that msgspec encodes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app import __version__
from app.engine import Refused
from app.examples import Example, examples
from app.explain import Document, Finding
from app.explain.corrected_records import CorrectedGradient, KnownGradients, SameGradients, UnknownGradients
from app.lectures import Lecture, Plan, plans
from app.lectures.lecture import LectureNote, LecturePart
from app.lessons import Lesson, lessons
from app.trace.chunks import Trace
from app.trace.ends import Raised, TracebackEntry
from app.trace.records import FORMAT, Cells, Count, Frame, FrameId, Header, Limits, NodeId, Span, Step, StepId, TensorId, Tick
from app.web.edge import errors as problems
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.lectures.kept_lectures import LectureChange, ShownLecture, ShownPart
from app.web.runs.documents import PIECES
from app.web.runs.run_streams import EVENTS
from app.web.runs.shown import Shared
from app.web.runs.trials import Trial, Trials

REFERENCE: Final = "#/components/schemas/{name}"
TEXT: Final = {"type": "string"}
RETRY_AFTER = {
    "Retry-After": {"description": "Seconds until the request may be sent again.", "schema": {"type": "integer", "minimum": 1}}
}

_NO_METHOD = Problem(405, "method_not_allowed", "This address does not support this method.", "Use GET.")
_NO_PICTURES = Problem(501, "no_pictures", "Graphviz, which draws the picture, is not installed.", "Save the picture as DOT.")
_FULL = Problem(507, "store_full", "The store is full, so nothing new can be stored.", "Tell the operator of this server.")
_BUSY = problems.as_problem(Refused("busy", "The queue is full: 300 runs are waiting.", 3))
ERRORS: dict[int, tuple[str, Problem]] = {
    400: (
        "The request cannot be read, or is addressed to another host name.",
        problems.not_json("The request's body is not JSON."),
    ),
    403: ("The request came from another site, or a token or secret is wrong.", problems.cross_site()),
    404: ("Not found.", problems.unknown_snippet()),
    405: ("The method is not allowed.", _NO_METHOD),
    408: ("The request did not arrive in time.", problems.too_slow(20)),
    409: ("Other machines cannot reach this address, or the recording is outdated.", problems.outdated_recording()),
    410: ("The operator withholds it.", problems.held_back()),
    413: ("The content is too large.", problems.too_large(262144)),
    415: ("The body is not declared as JSON.", problems.not_declared_as_json()),
    422: ("The content is not valid.", problems.bad_text("The snippet contains a NUL character.")),
    429: ("The queue is full, or this client exceeds a limit. Retry-After has the time to wait.", _BUSY),
    500: ("A bug.", problems.bug()),
    501: ("This server cannot draw pictures.", _NO_PICTURES),
    503: ("The sandbox or the store does not work at the moment.", problems.stopping()),
    507: ("The store or its disk is full.", _FULL),
}
"""The description and an example of each error status."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route for the errors that `_usual_errors` does not derive from the route."""
    return {status: error(*ERRORS[status]) for status in statuses}


def error(description: str, example: Problem) -> dict[str, Any]:
    """The OpenAPI response for an error."""
    headers = {"headers": RETRY_AFTER} if "Retry-After" in (example.headers or {}) else {}
    return {"description": description, **headers, **json_of({"$ref": REFERENCE.format(name="Error")}, example=example.body())}


@cache
def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of a type that msgspec encodes. The schema refers to the type's Structs in the components."""
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def json_of(schema: dict[str, Any], **example: object) -> dict[str, Any]:
    """The `content` of a JSON response or request, with an optional `example`."""
    return {"content": {"application/json": {"schema": schema, **example}}}


def answer_of(kind: Any) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that returns JSON of a type that msgspec encodes."""
    return {200: json_of(schema_of(kind))}


def body_of(kind: Any) -> dict[str, Any]:
    """The `requestBody` of a route that accepts JSON of a type that msgspec decodes."""
    return {"requestBody": {"required": True, **json_of(schema_of(kind))}}


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object in which all `properties` are required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def example_document() -> Document:
    """A small complete document, of a one-line run that raised an exception."""
    header = Header(
        format=FORMAT, stepgrad=__version__, python="3.11.7", torch="2.13.0+cpu", device="cpu", seed=0, limits=Limits()
    )
    message = "name 'torch' is not defined"
    trace = Trace(
        source="torch.ones(3)\n",
        header=header,
        frames=[Frame(id=FrameId(0), function="<module>", began=Tick(0), line=1, ended=Tick(3))],
        steps=[
            Step(
                id=StepId(0),
                kind="statement",
                began=Tick(1),
                ended=Tick(2),
                frame=FrameId(0),
                span=Span(line=1, column=0, end_line=1, end_column=13),
            )
        ],
        ended=Raised(type="NameError", message=message, line=1, traceback=[TracebackEntry(line=1, function="<module>")]),
    )
    return Document(trace=trace)


DOCUMENT: Final = msgspec.to_builtins(example_document())
WITHOUT_TRACE: dict[str, Any] = {
    "description": f"A large document, for clients that accept {PIECES}. Its trace is at {API}/recordings/{{recording_hash}}.",
    **object_of(
        recording={"type": "string", "pattern": "^[0-9a-f]{64}$"},
        findings=schema_of(list[Finding]),
        unfinished=schema_of(Count),
        end_arguments={"type": "object"},
    ),
}
WITHOUT_TRACE["properties"]["recording_token"] = TEXT
EITHER = {"anyOf": [schema_of(Document), WITHOUT_TRACE]}
_EVENTS = {
    "queued": object_of(run=TEXT, position={"type": "integer", "minimum": 1}),
    "running": object_of(run=TEXT, line=schema_of(Count), statements=schema_of(Count), operators=schema_of(Count)),
    "document": EITHER,
    "error": {"allOf": [{"$ref": REFERENCE.format(name="Error")}, {"properties": {"retry_after": {"type": "integer"}}}]},
}
_STREAM = """
event: queued
data: {"run": "4be1c77b3e6d2a90", "position": 3}

event: running
data: {"run": "4be1c77b3e6d2a90", "line": 12, "statements": 40, "operators": 311}

event: document
data: {"trace": {"...": "..."}, "findings": []}

""".lstrip()


def _event(name: str, data: dict[str, Any]) -> dict[str, Any]:
    content = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return object_of(event={"const": name}, data=content)


RUN: dict[str, Any] = {
    "description": (
        "The document of the ended run. As `text/event-stream`: any number of `queued` events (position 1 is next) and "
        f"`running` events, each with the `run` id for `DELETE {API}/runs/{{run_id}}`, and at the end `document` or "
        "`error` (an Error, with `retry_after` in seconds if a retry may succeed). Lines that begin with a colon only "
        "keep the connection open."
    ),
    "content": {
        "application/json": {"schema": EITHER, "example": DOCUMENT},
        EVENTS: {"schema": {"oneOf": [_event(*each) for each in _EVENTS.items()]}, "example": _STREAM},
    },
}
"""The OpenAPI response of a run."""


def _examples() -> dict[type[msgspec.Struct], object]:
    """An example of each Struct that a route accepts or returns."""
    lesson = next(each for each in lessons() if each.fixed is not None)
    part = LecturePart(lesson=lesson.slug, at="step=3", note=LectureNote(en="Two names, one memory."))
    lecture = Lecture(title="What detach shares", author="Week 3", parts=[part])
    shown = ShownPart(**msgspec.structs.asdict(part), document=f"{API}/lessons/{lesson.slug}/document")
    gradient = CorrectedGradient(
        tensor=TensorId(0),
        name="x",
        is_grad=True,
        shape=[1],
        wrong=Cells(dtype="float32", values=[400.0]),
        right=Cells(dtype="float32", values=[4.0]),
    )
    return {
        Document: DOCUMENT,
        Shared: Shared(id="aB3dE6gH9kL", source="torch.ones(3)\n", seed=0),
        Lesson: lesson,
        Example: examples()[0],
        KnownGradients: KnownGradients(step=StepId(9), node=NodeId(2), gradients=[gradient]),
        SameGradients: SameGradients(),
        UnknownGradients: UnknownGradients(reason="busy"),
        Trials: Trials([Trial(1, 0, "works", ""), Trial(0, 0, "fails", "raises")]),
        Lecture: lecture,
        LectureChange: LectureChange(title="What detach shares"),
        ShownLecture: ShownLecture(id="aB3dE6gH9kL", created=datetime(2026, 11, 28, 8, tzinfo=UTC), parts=[shown]),
        Plan: plans()[0],
    }


PAGE_TOKEN = {
    "name": "X-Page-Token",
    "in": "header",
    "required": False,
    "description": (
        'Identifies the visitor without cookies; the page has it in `<meta name="page-token">`. Without either, the response '
        "sets the cookie `stepgrad_visitor`. A visitor may have one active run and one queued run."
    ),
    "schema": TEXT,
}


def _usual_errors(method: str, path: str, operation: dict[str, Any]) -> Iterator[int]:
    """The errors of every route, and the errors that follow from a route's method, path and parameters."""
    yield from (400, 405, 408, 429, 500, 503)
    if method != "get":
        yield 403
    if "{" in path:
        yield 404
    if method == "post":
        yield 415
    if "requestBody" in operation:
        yield 413
    if "requestBody" in operation or not all(map(_is_any_text, operation["parameters"])):
        yield 422


def _is_any_text(parameter: dict[str, dict[str, Any]]) -> bool:
    schema = parameter["schema"]
    return {**schema, "title": "", "default": ""} == {"type": "string", "title": "", "default": ""}


def _in_ecma_script(schema: Any) -> Any:
    """The schema with patterns in the syntax of JSON Schema, in which ^ and $ match only the ends of a string."""
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
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            responses, parameters = operation["responses"], operation.setdefault("parameters", [])
            if "HTTPValidationError" in str(responses.get("422")):
                del responses["422"]  # FastAPI added this response
            usual = errors(*_usual_errors(method, path, operation))
            operation["responses"] = dict(sorted(({str(status): each for status, each in usual.items()} | responses).items()))
            parameters.append(PAGE_TOKEN)
    schemas = description["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    examples = _examples()
    _, components = msgspec.json.schema_components(examples, ref_template=REFERENCE)
    for kind, example in examples.items():
        components[kind.__name__]["examples"] = [msgspec.to_builtins(example)]
    schemas.update(_in_ecma_script(components))
    return description
