"""The routes of rooms. `app/rooms/README.md` describes the protocol."""

from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BaseModel

from app.explain import Document
from app.rooms.devices import OFFERED_SECONDS
from app.rooms.errors import not_allowed
from app.rooms.room_record import Pointer, Subject
from app.rooms.rooms import Opened
from app.web.edge.clients import client_of
from app.web.edge.prefix import API
from app.web.links.sharing import Drawn, drawn_code, reachable
from app.web.operations.openapi import DOCUMENT, TEXT, errors, json_of, object_of, schema_of
from app.web.rooms.room_access import Secret, Token
from app.web.rooms.room_models import (
    DeviceOffer,
    Leading,
    LostAt,
    NewPoll,
    NewRoom,
    Nothing,
    OneTimeCode,
    PollAsked,
    PollChange,
    RoomOpened,
    RoomSecrets,
    RoomToken,
    Told,
    Vote,
)
from app.web.rooms.room_recordings import document_answer
from app.web.rooms.room_streams import RoomNews, RoomStream
from app.web.runs.recordings import unknown_recording
from app.web.runs.run_streams import EVENTS
from app.web.services import services_of

router = APIRouter(prefix=f"{API}/rooms")
NO_STORE = {"Cache-Control": "no-store"}
STREAM: Final = 'event: state\ndata: {"n":1,"at":"step=1"}\n\nevent: change\ndata: {"n":2,"at":"step=2"}\n\n'
ANY_STATE: Final = object_of(n={"type": "integer"})
STATE: Final = {
    "n": 1000001,
    "snippet": {"id": "aB3dE6gH9kL", "recording": "0" * 64, "title": ""},
    "at": "step=1",
    "view": "",
    "members": 0,
    "ended": False,
}
SHOWN: Final = object_of(source=TEXT, seed={"type": "integer"}, stand_in={"type": "boolean"}, document=schema_of(Document))
SHOWN_EXAMPLE: Final = {"source": "torch.ones(3)\n", "seed": 0, "stand_in": False, "document": DOCUMENT}


@router.post(
    "",
    status_code=201,
    response_model=RoomOpened,
    response_description="The room with its secrets, which are not shown again.",
    responses=errors(404, 409, 410, 507),
)
async def open_room(new: NewRoom, request: Request, x_deletion_token: Annotated[str, Header()] = "") -> Response:
    """Open a room for a link. If the request has the link's deletion token, the token's holder can take the room over later."""
    services, address = services_of(request), client_of(request).requester.address
    await services.room_access.count_opening(request)
    await services.rooms.check_place(address)  # before the document is loaded and compressed
    link, _ = await services.room_recordings.of(new.snippet, address)  # raises Problem if a room cannot show the link
    is_owned = bool(x_deletion_token) and await services.links.is_token(new.snippet, x_deletion_token)
    opened = await services.rooms.open(link, address, is_owned=is_owned)
    return json_answer(RoomOpened(code=opened.code, secret=opened.secret, projector=opened.projector), 201)


@router.delete("/{code}", status_code=204, response_description="The room has ended.")
async def end_room(code: str, request: Request, secret: Secret = "") -> Response:
    """End a room: notify all followers, and delete members, votes and "I am lost" marks."""
    services = services_of(request)
    await services.rooms.end(await services.room_access.teach(code, secret, request))
    return done()


@router.post("/{code}/members", status_code=201, response_model=RoomToken, response_description="The token of the member.")
async def join(code: str, nothing: Nothing, request: Request) -> Response:
    """Join a room. A visitor who joins again gets the same token."""
    services = services_of(request)
    room = await services.room_access.visit(code, request)
    await services.room_access.count_join(request)
    return json_answer(RoomToken(token=services.rooms.join(room, client_of(request).requester.visitor)), 201)


@router.get(
    "/{code}/events",
    response_class=RoomStream,
    status_code=200,
    response_description="The stream.",
    responses={200: {"content": {EVENTS: {"schema": TEXT, "example": STREAM}}}, **errors(403)},
)
async def events(code: str, request: Request, secret: Secret = "", token: Token = "") -> Response:
    """Follow a room.

    The events are `state` with all keys, then `change` with the changed keys; a comment follows every 10 seconds.
    """
    services = services_of(request)
    room, who = await services.room_access.enter(code, secret, token, request)
    return RoomStream(room, lambda: services.room_access.following(room, who, request))


@router.get(
    "/{code}/state", response_description="The changes.", responses={200: json_of(ANY_STATE, example=STATE), **errors(403)}
)
async def state(
    code: str,
    request: Request,
    after: Annotated[int, Query(ge=0, le=2**53, description="The latest known `n`; 0: none.")] = 0,
    wait: Annotated[int, Query(ge=0, le=25, description="Seconds to wait for news.")] = 0,
    secret: Secret = "",
    token: Token = "",
) -> Response:
    """Follow a room without a stream: wait for changes after `after`, and return these changes."""
    services = services_of(request)
    room, who = await services.room_access.enter(code, secret, token, request)
    return RoomNews(room, lambda: services.room_access.following(room, who, request, after), wait)


@router.get(
    "/{code}/document/{recording}",
    response_description="The recording that the room shows.",
    responses={200: json_of(SHOWN, example=SHOWN_EXAMPLE), 304: {"description": "Not modified."}, **errors(403, 409, 410, 413)},
)
async def document(code: str, recording: str, request: Request, secret: Secret = "", token: Token = "") -> Response:
    """The recording that a room shows, with its findings and its snippet."""
    services = services_of(request)
    room, _ = await services.room_access.enter(code, secret, token, request)
    shown = room.shown.snippet
    if recording != shown.recording:
        raise unknown_recording()
    found = room.document
    if found is None:
        link, found = await services.room_recordings.of(shown.id, client_of(request).requester.address)
        if link.recording != recording:
            raise unknown_recording()
        if room.shown.snippet is shown:
            room.document = found
    await services.room_recordings.check(found)
    return document_answer(found, request.headers, services.files_in_turn, client_of(request).requester.address)


@router.get("/{code}/qr.svg", response_class=Drawn, response_description="The QR code.", responses=errors(409))
async def qr(code: str, request: Request) -> Response:
    """The room's URL as a QR code. Raises Problem (409)."""
    services = services_of(request)
    room = await services.room_access.visit(code, request)
    return await drawn_code(f"{reachable(request)}/r/{room.row.code}")


@router.patch("/{code}", response_model=Told, response_description="The number of the change.", responses=errors(409, 410, 507))
async def lead(code: str, leading: Leading, request: Request, secret: Secret = "") -> Response:
    """Change the state that the room shows. Another link starts at its first step unless the request has a step."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    changes: dict[str, object] = {name: getattr(leading, name) for name in leading.model_fields_set & {"at", "view"}}
    if "pointer" in leading.model_fields_set:
        pointer = leading.pointer
        changes["pointer"] = pointer and Pointer(pane=pointer.pane, on=pointer.on, x=round(pointer.x, 4), y=round(pointer.y, 4))
    if "selection" in leading.model_fields_set:
        changes["selection"] = leading.selection and Subject(**leading.selection.model_dump())
    link, found = None, None
    if leading.snippet is not None:
        link, found = await services.room_recordings.of(leading.snippet, client_of(request).requester.address)
        services.rooms.who(room, secret, "")  # the room may have been taken over during the work
    return json_answer(Told(n=await services.rooms.lead(room, changes, link, found)))


@router.post(
    "/{code}/devices", status_code=201, response_model=DeviceOffer, response_description="The code.", responses=errors(409)
)
async def offer(code: str, nothing: Nothing, request: Request, secret: Secret = "") -> Response:
    """Create a one-time code for another device of the teacher."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    return json_answer(DeviceOffer(one_time_code=services.rooms.offer(room), seconds=OFFERED_SECONDS), 201)


@router.post(
    "/{code}/devices/claim",
    status_code=201,
    response_model=RoomSecrets,
    response_description="The secrets for this device.",
    responses=errors(507),
)
async def claim(code: str, typed: OneTimeCode, request: Request) -> Response:
    """Exchange a one-time code for a secret. After a few wrong attempts the room's code becomes invalid."""
    services = services_of(request)
    room = await services.room_access.visit(code, request)
    await services.room_access.count_guess(request)
    return json_answer(_secrets(await services.rooms.claim(room, typed.one_time_code)), 201)


@router.post(
    "/{code}/takeover",
    status_code=201,
    response_model=RoomSecrets,
    response_description="The new secrets.",
    responses=errors(507),
)
async def take_over(code: str, nothing: Nothing, request: Request, x_deletion_token: Annotated[str, Header()] = "") -> Response:
    """Issue new secrets to the holder of the link's deletion token, and revoke all earlier secrets."""
    services = services_of(request)
    room = await services.room_access.visit(code, request)
    await services.room_access.count_guess(request)
    link = room.row.link
    if link is None or not await services.links.is_token(link, x_deletion_token):
        raise not_allowed()
    return json_answer(_secrets(await services.rooms.take_over(room)), 201)


@router.post(
    "/{code}/poll",
    status_code=201,
    response_model=PollAsked,
    response_description="The number of the question.",
    responses=errors(409, 410, 507),
)
async def ask(code: str, new: NewPoll, request: Request, secret: Secret = "") -> Response:
    """Ask a question about the shown step. The legal and correct answers come from the recording."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    shown, address = room.shown, client_of(request).requester.address  # read here, because the state may change below
    posed = await services.room_recordings.posed(shown.snippet.recording, new.question.question(), address)
    if room.shown.snippet is not shown.snippet:
        raise unknown_recording()
    services.rooms.who(room, secret, "")  # the room may have been taken over during the work
    return json_answer(PollAsked(id=await services.rooms.ask(room, shown.at, posed, new.shown)), 201)


@router.patch("/{code}/poll", status_code=204, response_description="The poll was changed.", responses=errors(507))
async def change_poll(code: str, change: PollChange, request: Request, secret: Secret = "") -> Response:
    """Show or hide votes, close the poll, reveal the correct answer (which closes the poll), or count hands."""
    services = services_of(request)
    room = await services.room_access.teach(code, secret, request)
    hands = None if change.hands is None else [(answer.answer(), count) for answer, count in change.hands]
    await services.rooms.change_poll(
        room,
        change.id,
        shown=change.shown,
        is_closed=change.open is False,
        is_revealed=change.revealed is True,
        hands=hands,
    )
    return done()


@router.delete("/{code}/poll", status_code=204, response_description="The poll was deleted.", responses=errors(507))
async def drop_poll(code: str, request: Request, secret: Secret = "") -> Response:
    """Delete the poll."""
    services = services_of(request)
    await services.rooms.drop_poll(await services.room_access.teach(code, secret, request))
    return done()


@router.post("/{code}/votes", status_code=204, response_description="The answer is stored.", responses=errors(409, 507))
async def vote(code: str, sent: Vote, request: Request, token: Token = "") -> Response:
    """Answer the question. The last answer before the end of the poll counts. The response is sent when the vote is stored."""
    services = services_of(request)
    room, who = await services.room_access.take_part(code, token, request)
    await services.rooms.vote(room, who, sent.poll, sent.answer.answer())
    return done()


@router.post("/{code}/lost", status_code=204, response_description="The step is marked.", responses=errors(409))
async def lost(code: str, sent: LostAt, request: Request, token: Token = "") -> Response:
    """Mark a step as "I am lost". The teacher sees the steps, but not the members."""
    services = services_of(request)
    room, who = await services.room_access.take_part(code, token, request)
    services.rooms.press_lost(room, who, sent.at)
    return done()


def json_answer(answer: BaseModel, status: int = 200) -> Response:
    """A response that is not cached."""
    return Response(answer.model_dump_json(), status, NO_STORE, "application/json")


def done() -> Response:
    """An empty response."""
    return Response(status_code=204, headers=NO_STORE)


def _secrets(opened: Opened) -> RoomSecrets:
    return RoomSecrets(secret=opened.secret, projector=opened.projector)
