"""The HTTP API: runs, share links, lessons, examples."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeVar

import msgspec
from fastapi import APIRouter, Header, Request, Response

from app.asgi import disconnected
from app.examples import Example, examples
from app.explain.corrected_records import CorrectedGradients
from app.lessons import Lesson, by_name, lessons
from app.store import Heading
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem, bad_text
from app.web.edge.middleware import is_cross_site
from app.web.edge.prefix import API
from app.web.links.text_negotiation import prefers_text, text_response
from app.web.models import Choice, Link, LinkHeading, SeenSnippet, SharedSnippet, Snippet, TriedSnippet
from app.web.operations.openapi import EITHER, RUN, TEXT, answer_of, errors, json_of, object_of, schema_of
from app.web.runs.documents import PIECES, Json, accepts_pieces, json_response
from app.web.runs.large import LargeJson, PackedFile
from app.web.runs.pending_runs import PendingRun
from app.web.runs.run_streams import EventStream, accepts_events
from app.web.runs.shown import Shared
from app.web.runs.trials import Trials
from app.web.services import Services, services_of
from app.words import preferred

T = TypeVar("T")
YEAR_SECONDS: Final = 365 * 24 * 3600
router = APIRouter(prefix=API)

PIECES_EXAMPLE: Final = '{"pieces":2,"source":"x","header":{"...":"..."},"ended":{"kind":"finished"}}\n{"steps":[]}\n'
CORRECTED: Final[dict[str, Any]] = {
    "response_description": "What the gradients would have been, or that they are the same, or why it is unknown.",
    "responses": answer_of(CorrectedGradients) | errors(404, 410),
}
TRIALS: Final[dict[str, Any]] = {
    "response_description": (
        "For each requested fix: whether it works, fails or was not tested, and why (see app/explain/tried)."
    ),
    "responses": answer_of(Trials) | errors(404, 410),
}
TEXT_EXAMPLE: Final = """Shared as: Ones

line 1: x = torch.ones(3)
    x is a new tensor of shape (3,), with a new storage S0.
The snippet ran to its end.
"""
SHARED: Final = json_of({"allOf": [schema_of(Shared), object_of(document=EITHER)]})
SHARED["content"]["text/plain"] = {"schema": TEXT, "example": TEXT_EXAMPLE}


@router.post("/traces", responses={200: RUN})
async def record(snippet: Snippet, request: Request) -> Response:
    """Run a snippet and respond with its document: the trace and its explanation.

    The trace contains the end of the run; an exception, a limit and a crash also have status 200. For clients that accept
    `text/event-stream`, the response is a stream of the position in the queue, the progress of the run, and the document.
    Clients that also accept `application/x-ndjson` get a large trace separately, from `/api/v1/recordings/{recording_hash}`.
    """
    services = services_of(request)
    source = checked_source(snippet.source, services)

    async def work(pending: PendingRun) -> Json:
        return await services.runs.run(source, snippet.seed, snippet.stand_in, pending, apart=accepts_pieces(request.headers))

    if accepts_events(request.headers):
        return EventStream(services.pending_runs, client_of(request).requester, work)
    return await document_response(await unless_gone(request, work), request)


@router.delete("/runs/{run_id}", status_code=204, response_description="The run is being stopped.")
async def stop(run_id: str, request: Request) -> Response:
    """Stop one of your runs, queued or active. The document of the run contains the records up to the stop."""
    if not services_of(request).pending_runs.stop(run_id, client_of(request).requester.visitor):
        raise Problem(404, "unknown_run", "You have no queued or active run with this id.", "It may have ended already.")
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@router.post(
    "/snippets", status_code=201, response_model=Link, response_description="The link was created.", responses=errors(404, 507)
)
async def share(snippet: SharedSnippet, request: Request) -> Response:
    """Store a snippet with this server's recording of the snippet, under a link that always shows the same recording.

    With the `recording_token` of a document, the link shows the recording of this document, regardless of its end. Without a
    token, the link shows the latest recording with a deterministic end, or a new recording. The title and the author are one
    line each, shown as the sharer's words. A `parent` that does not exist on this server is ignored.
    """
    services = services_of(request)
    source = checked_source(snippet.source, services)
    heading = Heading(title=snippet.title, author=snippet.author, shown=snippet.shown, parent=snippet.parent)
    snippet_id, token = await unless_gone(
        request,
        lambda pending: services.runs.share(source, snippet.seed, snippet.stand_in, snippet.recording_token, heading, pending),
    )
    link = Link(id=snippet_id, url=f"/s/{snippet_id}", deletion_token=token)
    headers = {"Location": f"{API}/snippets/{snippet_id}", "Cache-Control": "no-store"}
    return Response(link.model_dump_json(), 201, headers, "application/json")


@router.get(
    "/snippets/{snippet_id}",
    response_description=(
        "The snippet and its document. Optional fields are omitted if they are empty or false. As text: what the run did."
    ),
    responses={200: SHARED, **errors(409, 410, 413)},
)
async def shared(snippet_id: str, request: Request, again: bool = True) -> Response:
    """The content of a link: the snippet and its document.

    Unless `again` is false, the server replaces an unreadable recording by a new run. For a page of another site `again` is
    always false. Clients that also accept `application/x-ndjson` get a large trace separately, from
    `/api/v1/recordings/{recording_hash}`. Clients that prefer `text/plain` get the run as text, in the first language of
    `Accept-Language`; such a request never runs the snippet.
    """
    if prefers_text(request.headers, "application/json"):
        return await unless_gone(request, lambda _: link_as_text(snippet_id, request))
    runs, apart = services_of(request).runs, accepts_pieces(request.headers)
    again = again and not is_cross_site(request.headers)
    return await document_response(
        await unless_gone(request, lambda pending: runs.shared(snippet_id, pending, apart=apart, again=again)), request
    )


@router.get(
    "/recordings/{recording_hash}",
    response_class=PackedFile,
    status_code=200,
    response_description="The trace in pieces: lines of at most about 1 MiB, in the format of app/trace/FORMAT.md.",
    responses={
        200: {"content": {PIECES: {"schema": TEXT, "example": PIECES_EXAMPLE}}},
        304: {"description": "Not modified."},
    },
)
async def recording(recording_hash: str, request: Request) -> Response:
    """The trace of a large document, in pieces: lines of JSON, which a client decodes one by one.

    The content at this URL never changes. The trace is available while a link shows it; the trace of a run without a link is
    available for ten minutes.
    """
    services, address = services_of(request), client_of(request).requester.address
    path = await unless_gone(request, lambda _: services.recordings.file(recording_hash, address))
    tag = f'"{recording_hash}"'
    # Shared caches must not store the trace, because a link may be deleted.
    lasting = f"private, max-age={YEAR_SECONDS}, immutable"
    headers = {"Cache-Control": lasting, "ETag": tag, "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return PackedFile(path, {**headers, "Content-Type": PIECES}, services.files_in_turn, address)


async def link_as_text(snippet_id: str, request: Request) -> Response:
    """The run of a link as text. Raises Problem (404, 409, 410, 413, 429, 503)."""
    language = preferred(request.headers.get("accept-language", ""))
    told = await services_of(request).texts.of_link(snippet_id, language, client_of(request).requester.address)
    return await text_response(told, language, request.headers)


async def document_response(body: Json, request: Request) -> Response:
    """The response for a document. A large document is sent in slices when a slot is free."""
    if body.is_large:
        return LargeJson(body, services_of(request).large_in_turn, client_of(request).requester.address)
    return await json_response(body, request.headers)


@router.patch("/snippets/{snippet_id}", status_code=204, response_description="The heading was stored.")
async def write_heading(
    snippet_id: str, heading: LinkHeading, request: Request, x_deletion_token: Annotated[str, Header()] = ""
) -> Response:
    """Write the title and author of a link, and notes about the link's steps. Needs the deletion token of the link.

    Without `notes`, the existing notes stay; an empty object deletes all notes.
    """
    written = Heading(title=heading.title, author=heading.author)
    await services_of(request).runs.set_heading(snippet_id, x_deletion_token, written, heading.notes)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@router.delete(
    "/snippets/{snippet_id}",
    status_code=204,
    response_description="The link is deleted. So is its recording, unless another link shows it.",
)
async def delete(snippet_id: str, request: Request, x_deletion_token: Annotated[str, Header()] = "") -> Response:
    """Delete a link. Needs the deletion token of the link."""
    services = services_of(request)
    recording = await services.runs.delete(snippet_id, x_deletion_token)
    services.cards.forget(recording)
    services.texts.forget(recording)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@router.post("/right", **CORRECTED)
async def corrected_gradients_of_run(snippet: SeenSnippet, request: Request) -> Response:
    """The correct gradients of a run that was silently wrong, from two more runs that save copies of tensors.

    The snippet must have run on this server recently. The two runs are background runs: every run that a visitor waits for has
    priority.
    """
    services, requester = services_of(request), client_of(request).requester
    source = checked_source(snippet.source, services)
    corrections, token = services.corrections, snippet.recording_token
    body = await unless_gone(request, lambda _: corrections.of_run(source, snippet.seed, snippet.stand_in, token, requester))
    return await json_response(body, request.headers)


@router.get("/snippets/{snippet_id}/right", **CORRECTED)
async def corrected_gradients_of_link(snippet_id: str, request: Request) -> Response:
    """The correct gradients of a link's run, as for a run."""
    corrections, requester = services_of(request).corrections, client_of(request).requester
    return await json_response(
        await unless_gone(request, lambda _: corrections.of_link(snippet_id, requester)), request.headers
    )


@router.post("/trials", **TRIALS)
async def trials_of_run(snippet: TriedSnippet, request: Request) -> Response:
    """Test which fixes of a run work, by running each fix.

    The server tests at most three fixes, fixes of errors first. The snippet must have run on this server recently. After a long
    run, no fix is tested. With `finding` and `fix`, only this fix is tested, regardless of the duration. Every run that a
    visitor waits for has priority.
    """
    services, requester = services_of(request), client_of(request).requester
    source, chosen, trials = checked_source(snippet.source, services), _chosen(snippet), services.fix_trials
    token = snippet.recording_token
    body = await unless_gone(request, lambda _: trials.of_run(source, snippet.seed, snippet.stand_in, token, chosen, requester))
    return await json_response(msgspec.to_builtins(body), request.headers)


@router.post("/snippets/{snippet_id}/trials", **TRIALS)
async def trials_of_link(snippet_id: str, choice: Choice, request: Request) -> Response:
    """Test the fixes of a link's run, as for a run."""
    trials, requester, chosen = services_of(request).fix_trials, client_of(request).requester, _chosen(choice)
    body = await unless_gone(request, lambda _: trials.of_link(snippet_id, chosen, requester))
    return await json_response(msgspec.to_builtins(body), request.headers)


def _chosen(choice: Choice) -> tuple[int, int] | None:
    """The fix that the request names by its indices; None if the request names none. Raises Problem."""
    if choice.finding is not None and choice.fix is not None:
        return choice.finding, choice.fix
    if choice.finding is not None or choice.fix is not None:
        raise Problem(422, "half_a_fix", "A fix needs both `finding` and `fix`; one is missing.", "Send both, or neither.")
    return None


@router.get("/lessons", response_description="Every lesson.", responses=answer_of(list[Lesson]))
async def gallery(request: Request) -> Response:
    """Every lesson of the gallery, in the gallery's order, in every language."""
    return await json_response([msgspec.to_builtins(lesson) for lesson in lessons()], request.headers)


@router.get("/lessons/{slug}", response_description="The lesson.", responses=answer_of(Lesson))
async def lesson(slug: str, request: Request) -> Response:
    """One lesson of the course, in every language."""
    found = by_name(slug)
    if found is None:
        raise Problem(404, "unknown_lesson", "There is no lesson with this address.", f"See the list at {API}/lessons.")
    return await json_response(msgspec.to_builtins(found), request.headers)


@router.get("/examples", response_description="Every example.", responses=answer_of(list[Example]))
async def menu(request: Request) -> Response:
    """The programs that the editor offers, in the order of the menu, in every language."""
    return await json_response([msgspec.to_builtins(example) for example in examples()], request.headers)


def checked_source(source: str, services: Services) -> str:
    """Return `source` if it is valid and not too long. Raises Problem."""
    if not source.strip():
        raise Problem(422, "empty_snippet", "The snippet is empty.", "Write at least one line of Python.")
    if "\0" in source:
        raise bad_text("The snippet contains a NUL character, which Python source cannot contain.")
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise bad_text("The snippet contains a lone surrogate, which is not valid text.") from None
    if size > services.source_bytes:
        message = f"The snippet has {size} bytes; the limit is {services.source_bytes}."
        raise Problem(413, "too_large", message, "Send a shorter snippet.")
    return source


async def unless_gone(request: Request, work: Callable[[PendingRun], Awaitable[T]]) -> T:
    """The result of `work`. If the client disconnects first, `work` is cancelled and the run is killed."""
    runs = services_of(request).pending_runs
    working = asyncio.ensure_future(runs.go(PendingRun(client_of(request).requester), work))
    hanging_up = asyncio.ensure_future(disconnected(request.receive))
    try:
        await asyncio.wait({working, hanging_up}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Problem(
                499, "gone", "The client disconnected.", "Send the request again."
            )  # this response is never sent, because the client is gone
        return await working
    finally:
        hanging_up.cancel()
        working.cancel()
        await asyncio.gather(working, hanging_up, return_exceptions=True)
