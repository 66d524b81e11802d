"""How each route of rooms stands in the OpenAPI description."""

from typing import Any

from app.web.operations.openapi import TRACES
from app.web.operations.openapi_answers import DOCUMENT as EXAMPLE_DOCUMENT
from app.web.operations.openapi_answers import TEXT, model_of
from app.web.operations.openapi_answers import answered as example_of
from app.web.operations.openapi_answers import errors as errors_of
from app.web.rooms import variant_models
from app.web.rooms.room_models import EXAMPLES, DeviceOffer, PollAsked, RoomOpened, RoomSecrets, RoomToken, Told
from app.web.rooms.variant_models import ClassVariants, Variant, VariantsOpened

STATE = {
    "n": 1000001,
    "snippet": {"id": "aB3dE6gH9kL", "recording": "0" * 64, "title": ""},
    "at": "step=1",
    "view": "",
    "pointer": None,
    "selection": None,
    "opened_on": None,
    "members": 0,
    "ended": False,
    "poll": None,
    "votes": None,
    "variants": None,
}
ANY_STATE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
MODELS = (DeviceOffer, PollAsked, RoomOpened, RoomSecrets, RoomToken, Told, VariantsOpened, ClassVariants, Variant)


def with_rooms(description: dict[str, Any]) -> dict[str, Any]:
    """The whole description, with the answers of rooms among its schemas."""
    for model in MODELS:
        description["components"]["schemas"][model.__name__] = model.model_json_schema(
            ref_template="#/components/schemas/{model}"
        )
    return description


def _with(description: str, model: Any, *errors: int, status: int = 201) -> dict[str, Any]:
    answer = example_of(description, model_of(model), (EXAMPLES | variant_models.EXAMPLES)[model.__name__])
    return {"responses": {status: answer, **errors_of(*errors)}}


def _nothing(description: str, *errors: int) -> dict[str, Any]:
    return {"responses": {204: {"description": description}, **errors_of(*errors)}}


OPEN = _with("The room, with its secrets, which are told once.", RoomOpened, 403, 404, 409, 410, 413, 415, 422, 507)
JOIN = _with("Who the member is.", RoomToken, 403, 404, 413, 415, 422)
OFFER = _with("The code.", DeviceOffer, 403, 404, 409, 413, 415, 422)
CLAIM = _with("The secrets for this device.", RoomSecrets, 403, 404, 413, 415, 422, 507)
TAKE_OVER = _with("The secrets from now on.", RoomSecrets, 403, 404, 413, 415, 422, 507)
ASK = _with("The number of the question.", PollAsked, 403, 404, 409, 410, 413, 415, 422, 507)
LEAD = _with("The number that it is told with.", Told, 403, 404, 409, 410, 413, 422, 507, status=200)
END = _nothing("It has ended.", 403, 404, 422)
CHANGE_POLL = _nothing("It is so.", 403, 404, 413, 422, 507)
DROP_POLL = _nothing("There is no question.", 403, 404, 422, 507)
VOTE = _nothing("The answer is kept.", 403, 404, 409, 413, 415, 422, 507)
LOST = _nothing("It is noted.", 403, 404, 409, 413, 415, 422)

COLLECT = _with("The number of the collection.", VariantsOpened, 403, 404, 409, 410, 413, 415, 422, 507)
CHANGE_VARIANTS = _nothing("It is so.", 403, 404, 410, 413, 415, 422, 507)
DROP_VARIANTS = _nothing("There are none.", 403, 404, 422)
CLASS = _with("What was written.", ClassVariants, 403, 404, 422, status=200)
RUN_VARIANT: dict[str, Any] = {
    "responses": {200: TRACES["responses"][200], **errors_of(403, 404, 409, 413, 415, 422)},
}

NEWS: dict[str, Any] = {"responses": {200: example_of("What is new.", ANY_STATE, STATE), **errors_of(403, 404, 422)}}
EVENTS: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The stream.",
            "content": {
                "text/event-stream": {
                    "schema": TEXT,
                    "example": 'event: state\ndata: {"n":1,"at":"step=1"}\n\nevent: change\ndata: {"n":2,"at":"step=2"}\n\n',
                }
            },
        },
        **errors_of(403, 404, 422),
    }
}
DOCUMENT: dict[str, Any] = {
    "responses": {
        200: example_of(
            "The recording that the room shows.",
            {
                "type": "object",
                "properties": {
                    "source": TEXT,
                    "seed": {"type": "integer"},
                    "stand_in": {"type": "boolean"},
                    "document": {"$ref": "#/components/schemas/Document"},
                },
                "required": ["source", "seed", "stand_in", "document"],
            },
            {"source": "torch.ones(3)\n", "seed": 0, "stand_in": False, "document": EXAMPLE_DOCUMENT},
        ),
        304: {"description": "It is known."},
        **errors_of(403, 404, 409, 410, 413, 422),
    }
}
QR: dict[str, Any] = {
    "responses": {
        200: {"description": "The QR code.", "content": {"image/svg+xml": {"schema": TEXT}}},
        **errors_of(404, 409, 422),
    }
}
