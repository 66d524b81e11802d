"""The errors that the server answers over HTTP: their status, messages and one JSON format."""

import math
from http import HTTPStatus
from typing import Any

import msgspec
import structlog
from fastapi import HTTPException, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from app.engine import EngineUnavailable, Refused, Withdrawn
from app.rooms.errors import RoomRefused
from app.sandbox import SandboxError
from app.store import LinkGone, NotText, QuotaSpent, StoreDamaged, StoreError, StoreFull, StoreUnavailable
from app.trace.clipping import clip
from app.web.edge.prefix import API


class Problem(HTTPException):
    """An error response.

    A Problem is an HTTPException, the only exception that FastAPI lets through while it reads a body. `error` is a code for
    programs, `message` is one sentence for people, and `hint` is a remedy.
    """

    def __init__(self, status: int, error: str, message: str, hint: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, message, headers)
        self.error = error
        self.message = message
        self.hint = hint

    def body(self) -> dict[str, str]:
        """The content of an error response, as JSON."""
        return {"error": self.error, "message": self.message, "hint": self.hint}

    def response(self) -> Response:
        """The response as JSON."""
        headers = {"Cache-Control": "no-store", **(self.headers or {})}
        return Response(msgspec.json.encode(self.body()), self.status_code, headers, "application/json")


def too_many_connections() -> Problem:
    """The server has the maximum number of connections."""
    headers = {"Retry-After": "5", "Connection": "close"}
    message = "This server has more connections than it can serve at the moment."
    return Problem(503, "too_many_connections", message, "Try again in 5 seconds.", headers)


def stopping() -> Problem:
    """The server is stopping and refuses new requests and long waits."""
    headers = {"Retry-After": "10", "Connection": "close"}
    message = "This server is stopping or restarting."
    return Problem(503, "stopping", message, "Try again in 10 seconds.", headers)


def too_much_at_once() -> Problem:
    """The bodies of all requests exceed the server's limit."""
    message = "This server is receiving more data than it can hold at the moment."
    return Problem(503, "too_much_at_once", message, "Try again in 5 seconds.", {"Retry-After": "5"})


def too_slow(seconds: float) -> Problem:
    """A request did not arrive in time."""
    message = f"The request did not arrive within {seconds:g} seconds."
    return Problem(408, "too_slow", message, "Send it faster.")


def bug() -> Problem:
    """A bug in Stepgrad; the log has the details."""
    return Problem(
        500, "internal", "This is a bug in Stepgrad.", "Try again. If the error persists, tell the operator of this server."
    )


def too_large(limit_bytes: int) -> Problem:
    """A request's body exceeds the limit."""
    message = f"The request has more than {limit_bytes} bytes."
    return Problem(413, "too_large", message, "Send a shorter snippet.")


def cross_site() -> Problem:
    """A page of another site sent the request."""
    return Problem(
        403, "cross_site", "Requests from other sites are not allowed.", "Send the request from Stepgrad's own page."
    )


def not_declared_as_json() -> Problem:
    """The content type is not application/json."""
    hint = "Send JSON with the header Content-Type: application/json."
    return Problem(415, "not_json", "The request's content type is not application/json.", hint)


def as_problem(error: Exception) -> Problem:
    """The Problem for `error`. An exception that this function does not know is a bug in Stepgrad."""
    match error:
        case Problem():
            return error
        case StarletteHTTPException():
            return _from_status(error)
        case RequestValidationError():
            return _from_validation(error.errors())
        case Refused():
            hint = f"Try again in {error.retry_after} seconds."
            word = {"visitor": "visitor_busy", "address": "address_busy"}.get(error.reason, "busy")
            return Problem(429, word, str(error), hint, {"Retry-After": str(error.retry_after)})
        case Withdrawn():
            return Problem(409, "cancelled", "The run was stopped before it began.", "Run it again.")
        case EngineUnavailable():
            hint = "Run it again in a few seconds. If the error persists, tell the operator of this server."
            return Problem(503, error.kind, str(error), hint, {"Retry-After": "5"})
        case SandboxError():
            hint = "Try again in a few seconds. If the error persists, tell the operator of this server."
            return Problem(503, "sandbox_unavailable", str(error), hint, {"Retry-After": "5"})
        case StoreError():
            return _from_store(error)
        case RoomRefused():
            return _from_room(error)
        case _:
            return bug()


HANDLED = (
    Problem,
    StarletteHTTPException,
    RequestValidationError,
    Refused,
    Withdrawn,
    SandboxError,
    StoreError,
    RoomRefused,
)
"""Exceptions that the application answers as a Problem. Any other exception is a bug and is logged (`middleware.CatchBugs`)."""


def unknown_snippet() -> Problem:
    """The link never existed, or was deleted."""
    message = "This server has no snippet with this id; it may have been deleted."
    return Problem(404, "unknown_snippet", message, "Check the link, or start at /.")


def held_back() -> Problem:
    """The operator holds the link."""
    message = "The operator of this server has withheld this link."
    return Problem(410, "held_back", message, "Try again in a few days, or ask the operator of this server.")


def old_address() -> Problem:
    """The URL belongs to another version of the API.

    An old program, or a page that was open during an upgrade, sent the request.
    """
    message = "This address belongs to another version of Stepgrad."
    return Problem(404, "other_build", message, f"The API of this version is at {API}. Reload an open page.")


def outdated_recording() -> Problem:
    """Only a new run could answer the request, but the client excludes runs."""
    message = "This recording was made by an older version of Stepgrad and is no longer readable."
    return Problem(409, "outdated_recording", message, "Open its link, which records the snippet again.")


def unknown_run() -> Problem:
    """The server has no recent run of this source, or the run's end was not deterministic."""
    return Problem(404, "unknown_run", "This server has no recent recording of this snippet.", "Run it again.")


def recording_gone() -> Problem:
    """The token is invalid, because the recording was dropped or belongs to another visitor, source or version."""
    return Problem(404, "recording_gone", "This server no longer has the recording of that run.", "Run the snippet again.")


def embed_gone() -> Problem:
    """The link of a frame was deleted, is held, or never existed."""
    message = "The recording that was shown here has been deleted."
    return Problem(410, "embed_gone", message, "The author of this page can remove the frame.")


def wrong_token() -> Problem:
    """The token does not match the link, or the link is older than tokens."""
    message = "This is not the deletion token of this link."
    return Problem(
        403,
        "wrong_token",
        message,
        "Send the token from the creation of the link as X-Deletion-Token, or ask the operator of this server.",
    )


def _from_store(error: StoreError) -> Problem:
    match error:
        case QuotaSpent():
            hint = f"Try again in {_duration(error.retry_after)}, when the day ends in UTC. Runs and existing links still work."
            return Problem(429, f"quota_of_{error.whose}", str(error), hint, {"Retry-After": str(error.retry_after)})
        case LinkGone():
            return unknown_snippet()
        case StoreDamaged():
            message = "The requested recording is damaged on this server."
            return Problem(
                500, "damaged_recording", message, "Open its link again: the snippet is intact and will be recorded again."
            )
        case NotText():
            return bad_text(str(error))
        case StoreFull():
            _log_reason(error)
            hint = "Runs and existing links still work. Tell the operator of this server, who can free space."
            return Problem(507, "store_full", str(error), hint)
        case StoreUnavailable():
            _log_reason(error)
            hint = "Runs still work, links do not. Try again. If the error persists, tell the operator of this server."
            return Problem(503, "store_unavailable", str(error), hint, {"Retry-After": "5"})
        case _:
            return bug()


def _duration(seconds: int) -> str:
    count, unit = (seconds // 3600, "hour") if seconds >= 7200 else (math.ceil(seconds / 60), "minute")
    return f"{count} {unit}{'s' if count > 1 else ''}"


def _log_reason(error: StoreError) -> None:
    """Log the database's message, which must not appear elsewhere, because it may contain addresses and file names."""
    structlog.get_logger().warning("store", told=str(error), reason=error.reason)


OF_ROOMS = {
    "unknown_room": 404,
    "no_poll": 404,
    "not_allowed": 403,
    "poll_closed": 409,
    "too_many_devices": 409,
    "not_following": 409,
    "unknown_question": 422,
    "illegal_answer": 422,
    "no_variants": 404,
    "unknown_class": 404,
    "variants_closed": 409,
    "too_large_variant": 413,
    "busy": 503,
    "room_unreachable": 503,
}
"""Status codes of room errors. All other room errors have 429."""


def _from_room(error: RoomRefused) -> Problem:
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return Problem(OF_ROOMS.get(error.kind, 429), error.kind, str(error), error.hint, headers)


def _from_status(error: StarletteHTTPException) -> Problem:
    headers = dict(error.headers or {})
    match error.status_code:
        case 404:
            return Problem(404, "not_found", "There is nothing at this address.", "Check the address, or start at /.", headers)
        case 405:
            allowed = headers.get("Allow", headers.get("allow", "another method"))
            return Problem(405, "method_not_allowed", "This address does not support this method.", f"Use {allowed}.", headers)
        case 400:  # FastAPI's response to a body that is not UTF-8
            return not_json("The request's body is not JSON in UTF-8.")
        case status:
            phrase = HTTPStatus(status).phrase
            return Problem(
                status, phrase.lower().replace(" ", "_"), f"{phrase}.", "See /openapi.json for valid requests.", headers
            )


def not_json(message: str) -> Problem:
    """The body could not be read."""
    return Problem(400, "malformed", message, 'Send JSON such as {"source": "import torch"} in UTF-8.')


def _from_validation(errors: Any) -> Problem:
    first = errors[0]
    if first["type"] == "json_invalid":
        return not_json(f"The request's body is not JSON: {first['ctx']['error']} at position {first['loc'][-1]}.")
    where = clip(".".join(str(part) for part in first["loc"] if part != "body"), 80) or "the body"
    message = f"The request is not valid: {where}: {first['msg'][0].lower()}{first['msg'][1:]}."
    return Problem(422, "invalid", message, "See /openapi.json for valid requests.")


def bad_text(message: str) -> Problem:
    """The snippet is not valid text."""
    return Problem(422, "not_text", message, "Paste the snippet again as plain text.")
