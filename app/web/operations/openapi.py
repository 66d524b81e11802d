"""The OpenAPI description: FastAPI's own of the routes, with the errors of each and the types that msgspec encodes."""

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
RETRY_AFTER = {"Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer", "minimum": 1}}}

_NO_METHOD = Problem(405, "method_not_allowed", "This address does not take that method.", "Use GET.")
_NO_PICTURES = Problem(501, "no_pictures", "No Graphviz is installed, which draws the picture.", "Save the picture as DOT.")
_FULL = Problem(
    507, "store_full", "The store has reached its size, so nothing new can be kept.", "Tell whoever runs this server."
)
_BUSY = problems.as_problem(Refused("busy", "The queue is full: 300 runs are waiting already.", 3))
ERRORS: dict[int, tuple[str, Problem]] = {
    400: (
        "The request cannot be read, or is addressed to another host name.",
        problems.not_json("The request's body is not JSON."),
    ),
    403: ("Another site asked, or a token or secret is wrong.", problems.cross_site()),
    404: ("There is no such thing.", problems.unknown_snippet()),
    405: ("Another method is needed.", _NO_METHOD),
    408: ("The request did not arrive in time.", problems.too_slow(20)),
    409: ("No other machine can reach this address, or only a run would give the recording.", problems.outdated_recording()),
    410: ("It is held back.", problems.held_back()),
    413: ("Too much was sent.", problems.too_large(262144)),
    415: ("The body is not declared as JSON.", problems.not_declared_as_json()),
    422: ("It was understood, but cannot be run.", problems.bad_text("The snippet holds a NUL character.")),
    429: ("The queue is full, or this client asks for too much; Retry-After says when to try again.", _BUSY),
    500: ("A bug.", problems.bug()),
    501: ("Nothing draws pictures on this server.", _NO_PICTURES),
    503: ("The sandbox or the store does not work at the moment.", problems.stopping()),
    507: ("There is no room for this in the store, or on its disk.", _FULL),
}
"""The statuses of errors: what each means, and an example."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What a route may answer besides the errors that `_usual_errors` reads off it."""
    return {status: error(*ERRORS[status]) for status in statuses}


def error(description: str, example: Problem) -> dict[str, Any]:
    """An answer that is an error."""
    headers = {"headers": RETRY_AFTER} if "Retry-After" in (example.headers or {}) else {}
    return {"description": description, **headers, **json_of({"$ref": REFERENCE.format(name="Error")}, example=example.body())}


@cache
def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of a type that msgspec encodes; the Structs that it is made of are among the components."""
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def json_of(schema: dict[str, Any], **example: object) -> dict[str, Any]:
    """Content in JSON, with an `example` unless a component has one."""
    return {"content": {"application/json": {"schema": schema, **example}}}


def answer_of(kind: Any) -> dict[int | str, dict[str, Any]]:
    """A route's answer is JSON of a type that msgspec encodes."""
    return {200: json_of(schema_of(kind))}


def body_of(kind: Any) -> dict[str, Any]:
    """A route's request is JSON of a type that msgspec decodes."""
    return {"requestBody": {"required": True, **json_of(schema_of(kind))}}


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with all of these."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def example_document() -> Document:
    """A small but whole document: a run of one line that raised."""
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
    "description": f"A large document for who accepts {PIECES}: its trace is at {API}/recordings/{{recording_hash}}.",
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
        "The run ended, in whatever way. As `text/event-stream`: any number of `queued` (position 1 is the next) and "
        f"`running` events, each with the `run` that `DELETE {API}/runs/{{run_id}}` stops, and at the end `document` or "
        "`error` (an Error, with `retry_after` in seconds where trying again helps). Lines that begin with a colon only "
        "keep the connection awake."
    ),
    "content": {
        "application/json": {"schema": EITHER, "example": DOCUMENT},
        EVENTS: {"schema": {"oneOf": [_event(*each) for each in _EVENTS.items()]}, "example": _STREAM},
    },
}
"""The answer of a run."""


def _examples() -> dict[type[msgspec.Struct], object]:
    """An example for each Struct that a route takes or gives."""
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
        'Who the visitor is where there are no cookies, from the page\'s `<meta name="page-token">`. Without either, the answer '
        "brings the cookie `stepgrad_visitor`. Of one visitor one run goes and one more waits."
    ),
    "schema": TEXT,
}


def _usual_errors(method: str, path: str, operation: dict[str, Any]) -> Iterator[int]:
    """The errors that every route has, or that follow from a method, a path and parameters."""
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
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            responses, parameters = operation["responses"], operation.setdefault("parameters", [])
            if "HTTPValidationError" in str(responses.get("422")):
                del responses["422"]  # FastAPI's own
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
