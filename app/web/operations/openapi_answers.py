"""What the answers of several routes look like in the OpenAPI description: errors, and an example of a document."""

from typing import Any

import msgspec

from app import __version__
from app.explain import Document
from app.trace.chunks import Trace
from app.trace.ends import Raised, TracebackEntry
from app.trace.records import FORMAT, Frame, FrameId, Header, Limits, Span, Step, StepId, Tick
from app.web.edge.prefix import API
from app.web.models import Error

TEXT = {"type": "string"}
SCHEMA = "#/components/schemas/{name}"
ERRORS: dict[int, tuple[str, str, str, str]] = {
    400: (
        "The request cannot be read, or is addressed to another host name.",
        "malformed",
        "The request's body is not JSON: Expecting value at position 0.",
        'Send JSON such as {"source": "import torch"} in UTF-8.',
    ),
    403: (
        "Another site asked.",
        "cross_site",
        "Another site asked for this, and that is not allowed.",
        "Ask from Stepgrad's own page.",
    ),
    404: (
        "There is no such thing.",
        "unknown_snippet",
        "There is no snippet with this id on this server, or not any more.",
        "Check the link, or start anew at /.",
    ),
    405: ("Another method is needed.", "method_not_allowed", "This address does not take that method.", "Use GET."),
    408: (
        "The request did not arrive in time.",
        "too_slow",
        "The request was not here after 20 seconds.",
        "Send it faster.",
    ),
    409: (
        "Nobody else would reach this address, or only a run would give the recording.",
        "no_public_address",
        "No phone can reach this page at an address of this machine alone.",
        f"Ask {API}/address where it could be reached.",
    ),
    410: (
        "It is held back.",
        "held_back",
        "Whoever runs this server holds this link back for now.",
        "Try again in a few days, or ask whoever runs this server.",
    ),
    413: (
        "Too much was sent.",
        "too_large",
        "The snippet has 300000 bytes, and at most 262144 are taken.",
        "Send a shorter snippet.",
    ),
    415: (
        "The body is not declared as JSON.",
        "not_json",
        "The request's content type is not application/json.",
        "Send JSON with the header Content-Type: application/json.",
    ),
    422: (
        "It was understood, but cannot be run.",
        "empty_snippet",
        "The snippet is empty.",
        "Write at least one line of Python.",
    ),
    429: (
        "The queue is full, or this client asks for too much; Retry-After says when to try again.",
        "busy",
        "The queue is full: 300 runs are waiting already.",
        "Try again in 3 seconds.",
    ),
    500: (
        "A bug.",
        "internal",
        "Something in Stepgrad itself broke.",
        "Try again; if it stays, tell whoever runs this server.",
    ),
    501: (
        "Nothing draws pictures on this server.",
        "no_pictures",
        "No Graphviz is installed, which draws the picture.",
        "Tell whoever runs this server, or save the picture as DOT.",
    ),
    503: (
        "The sandbox or the store does not work at the moment.",
        "store_unavailable",
        "The store does not answer.",
        "Runs still work, only links do not; try again, and if it stays, tell whoever runs this server.",
    ),
    507: (
        "There is no room for this in the store, or on its disk.",
        "store_full",
        "The store has reached its size of 10737418240 bytes, so nothing new can be kept.",
        "Runs and saved links still work, and nothing is lost. Tell whoever runs this server, who can make room.",
    ),
}


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


DOCUMENT: dict[str, Any] = msgspec.to_builtins(example_document())


def answered(description: str, schema: dict[str, Any], example: object, text: str | None = None) -> dict[str, Any]:
    """An answer of JSON; with `text`, of plain text as well."""
    as_text = {} if text is None else {"text/plain": {"schema": TEXT, "example": text}}
    return {"description": description, "content": {"application/json": {"schema": schema, "example": example}, **as_text}}


def model_of(model: Any) -> dict[str, Any]:
    """The schema of a model among the components."""
    return {"$ref": SCHEMA.format(name=model.__name__)}


RETRY_AFTER = {"Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer", "minimum": 1}}}


def errors(*statuses: int) -> dict[int, dict[str, Any]]:
    """What any route may answer, and these."""
    responses = {}
    for status in (400, 405, 408, 429, *statuses, 500, 503):
        description, error, message, hint = ERRORS[status]
        responses[status] = answered(description, model_of(Error), {"error": error, "message": message, "hint": hint})
        if status in (429, 503):
            responses[status]["headers"] = RETRY_AFTER
    return responses
