"""Requests and responses of rooms as pydantic models, with limits on all data that a client sends."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from app.questions.asked import Answer, Question, QuestionKind
from app.rooms.polls import MOST_HANDS, MOST_TALLIED

LARGEST = 2**53
Id = Annotated[int, Field(strict=True, ge=0, le=2**31)]
Moment = Annotated[int, Field(strict=True, ge=0, le=LARGEST, description="A tick of the recording; 2**53 - 1 is its end.")]
At = Annotated[
    str,
    Field(strict=True, pattern=r"^step=[1-9]\d{0,8}(&by=(line|operator))?$", description="A step, as in URLs."),
]
View = Annotated[
    str,
    Field(strict=True, max_length=1600, pattern=r"^[A-Za-z0-9=&._~,%-]*$", description="The view of the page, as in URLs."),
]
LinkId = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9]{1,16}$", description="The id of a link.")]
Part = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Typed = Annotated[str, Field(strict=True, max_length=40)]
PollId = Annotated[int, Field(strict=True, ge=1, le=2**31)]
PollShown = Literal["live", "hidden"]


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(_Taken):
    """An empty object."""


class NewRoom(_Taken):
    """The link for which a room is opened."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"snippet": "aB3dE6gH9kL"}]})

    snippet: LinkId


class SentPointer(_Taken):
    """The teacher's pointer, in fractions of an element in a picture, or of the whole picture."""

    pane: Literal["graph", "memory", "code"]
    on: Annotated[str, Field(strict=True, max_length=64, pattern=r"^[A-Za-z0-9 ._:-]+$")] | None = None
    x: Part
    y: Part


class SentSubject(_Taken):
    """The teacher's selection, by its id in the recording."""

    kind: Literal["name", "grad", "tensor", "storage", "cell", "fold", "node", "line"]
    id: Id
    cell: Id | None = None


class Leading(_Taken):
    """The state that the teacher shows. Omitted fields do not change."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"at": "step=8"}]})

    at: At = "step=1"
    view: View = ""
    pointer: SentPointer | None = None
    selection: SentSubject | None = None
    snippet: LinkId | None = None


class OneTimeCode(_Taken):
    """The request with which a further device of the teacher sends its one-time code."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"one_time_code": "QWERTZUV"}]})

    one_time_code: Typed


class SentQuestion(_Taken):
    """A question about a run between two ticks; see `app/questions/asked.py`."""

    kind: QuestionKind
    after: Moment
    until: Moment
    node: Id | None = None
    edge: Id | None = None
    tensor: Id | None = None
    storage: Id | None = None
    cell: Id | None = None
    counter: Id | None = None
    saved: Id | None = None

    def question(self) -> Question:
        """Convert to the domain type."""
        return Question(**self.model_dump())


class SentAnswer(_Taken):
    """An answer: its `kind`, and the field that belongs to this kind (an answer of kind "cell" has two fields)."""

    kind: Literal["none", "number", "version", "counter", "node", "cell", "line", "name", "whether"]
    number: (
        StrictBool
        | Annotated[StrictInt, Field(ge=-LARGEST, le=LARGEST)]
        | Annotated[StrictFloat, Field(allow_inf_nan=False)]
        | Annotated[StrictStr, Field(max_length=41)]
        | None
    ) = None
    version: Annotated[int, Field(strict=True, ge=0, le=LARGEST)] | None = None
    counter: Id | None = None
    node: Id | None = None
    storage: Id | None = None
    cell: Id | None = None
    line: Id | None = None
    name: Annotated[str, Field(strict=True, max_length=100)] | None = None
    whether: StrictBool | None = None

    def answer(self) -> Answer:
        """Convert to the domain type."""
        return Answer(**self.model_dump())


class NewPoll(_Taken):
    """A question to the room, and whether the votes are visible while the poll is open."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": {"kind": "raises", "after": 0, "until": 9}}]}
    )

    question: SentQuestion
    shown: PollShown = "live"


Hands = Annotated[
    list[tuple[SentAnswer, Annotated[int, Field(strict=True, ge=0, le=MOST_HANDS)]]], Field(max_length=MOST_TALLIED)
]


class PollChange(_Taken):
    """Changes of a poll. Omitted fields do not change."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"id": 1, "revealed": True}]})

    id: PollId
    shown: PollShown | None = None
    open: Literal[False] | None = None
    revealed: Literal[True] | None = None
    hands: Hands | None = None


class Vote(_Taken):
    """A member's answer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"poll": 1, "answer": {"kind": "whether", "whether": True}}]}
    )

    poll: PollId
    answer: SentAnswer


class LostAt(_Taken):
    """The step at which a member is lost."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"at": "step=8"}]})

    at: At


class RoomOpened(BaseModel):
    """The secrets of a new room, which are sent once, to the room's teacher."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"code": "KTRWMB", "secret": "q7Xn0uV2sJ4mK9wZbT1eRc5p", "projector": "Jm3PZ0sQb8VtYc2LkXw7Hd5n"}]
        }
    )

    code: str
    secret: str
    projector: str


class RoomSecrets(BaseModel):
    """The teacher's secrets for a new device."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"secret": "q7Xn0uV2sJ4mK9wZbT1eRc5p", "projector": "Jm3PZ0sQb8VtYc2LkXw7Hd5n"}]}
    )

    secret: str
    projector: str


class RoomToken(BaseModel):
    """The token of a member."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"token": "Ht5kqW9xRb2Lc7NvYp4Zs8Md.Xa1Jf6Ge3Ui0Oo2Kk5Tt9Qq4"}]})

    token: str


class DeviceOffer(BaseModel):
    """A one-time code, and its validity in seconds."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"one_time_code": "QWERTZUV", "seconds": 120}]})

    one_time_code: str
    seconds: int


class PollAsked(BaseModel):
    """The response to a new question: the question's number in its room."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"id": 1}]})

    id: int


class Told(BaseModel):
    """The response to a change of the room: the number of the change, as `n` in the room's state."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"n": 1000008}]})

    n: int
