"""The routes for variants of a snippet from a class. `app/rooms/README.md` describes the protocol."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from app.explainers import Explanation, NotExplained, Unreadable
from app.rooms.variants import Outcome, outcome
from app.store import Recording
from app.trace.ends import is_killed
from app.trace.stored import ended_of
from app.web.api import checked_source, document_response, unless_gone
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.operations.openapi import RUN, errors
from app.web.rooms.room_access import Secret, Token
from app.web.rooms.room_models import LARGEST, Nothing
from app.web.rooms.room_routes import done, json_answer
from app.web.rooms.variant_models import ClassVariants, Variant, VariantRun, VariantsChange, VariantsOpened
from app.web.runs.documents import Json, accepts_pieces
from app.web.runs.pending_runs import PendingRun
from app.web.runs.run_streams import EventStream, accepts_events
from app.web.services import Services, services_of

router = APIRouter(prefix=f"{API}/rooms/{{code}}/variants")


@router.post(
    "",
    status_code=201,
    response_model=VariantsOpened,
    response_description="The number of the collection.",
    responses=errors(409, 410, 507),
)
async def collect(code: str, nothing: Nothing, request: Request, secret: Secret = "") -> Response:
    """Start a new collection of variants of the shown snippet. The new collection replaces the previous collection."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    shown = await services.runs.kept(room.shown.snippet.id)
    return json_answer(VariantsOpened(id=services.collecting.open(room, shown.seed, shown.stand_in)), 201)


@router.patch("", status_code=204, response_description="The collection was changed.", responses=errors(410, 507))
async def change(code: str, change: VariantsChange, request: Request, secret: Secret = "") -> Response:
    """Close or reopen the collection, hide or show its classes, or pick one or two classes."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    picked = None if change.picked is None else [each.picked() for each in change.picked]
    for each in picked or ():
        await services.runs.kept(each.link)
    services.collecting.change(room, change.id, is_open=change.open, is_hidden=change.hidden, picked=picked)
    return done()


@router.delete("", status_code=204, response_description="The variants were deleted.")
async def end(code: str, request: Request, secret: Secret = "") -> Response:
    """Delete all variants."""
    services = services_of(request)
    services.collecting.end(await services.room_access.teach(code, secret, request))
    return done()


@router.get("/{place:int}", response_model=ClassVariants, response_description="The sources.", responses=errors(403))
async def sources(code: str, place: Annotated[int, Path(ge=0, le=LARGEST)], request: Request, secret: Secret = "") -> Response:
    """The sources that the members of one class sent, for the teacher only."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    sent = [Variant(source=source, count=count) for source, count in services.collecting.sources(room, place)]
    assert room.variants is not None
    return json_answer(ClassVariants(seed=room.variants.seed, stand_in=room.variants.stand_in, variants=sent))


@router.post("/runs", responses={200: RUN, **errors(409)})
async def run(code: str, sent: VariantRun, request: Request, token: Token = "") -> Response:
    """Run a variant, with the response of a normal run, and count the variant in the room. Of the variants of a member, the
    last one counts."""
    services = services_of(request)
    room, who = await services.room_access.take_part(code, token, request)
    source = checked_source(sent.source, services)
    begun = services.collecting.begin(room, who, sent.variants, source)
    variants, _ = begun

    async def work(pending: PendingRun) -> Json:
        async def see(recording: Recording, explanation: Explanation) -> None:
            ended = await _outcome(services, recording, explanation, pending)
            if ended is not None:
                services.collecting.file(room, who, begun, ended, source)

        apart = accepts_pieces(request.headers)
        return await services.runs.run(source, variants.seed, variants.stand_in, pending, apart=apart, see=see)

    if accepts_events(request.headers):
        return EventStream(services.pending_runs, client_of(request).requester, work)
    return await document_response(await unless_gone(request, work), request)


async def _outcome(services: Services, recording: Recording, explanation: Explanation, pending: PendingRun) -> Outcome | None:
    """The outcome of a variant; None if the run was cancelled or killed from outside. Raises Problem (503)."""
    if is_killed(ended_of(recording.trace)):
        return None
    try:
        ending = await services.explainers.ending(recording.hash, recording.trace, pending.requester.address)
    except (NotExplained, Unreadable):
        message = "This run could not be compared with those of the class, because this server is busy."
        raise Problem(503, "busy", message, "Run it again in 5 seconds.", {"Retry-After": "5"}) from None
    return outcome(ending, [(finding.kind, finding.line) for finding in explanation.findings])
