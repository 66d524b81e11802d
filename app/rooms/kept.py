"""The stored state of a room without votes and presses: what it shows and asks."""

from typing import Literal

import msgspec

from app.rooms.polls import KeptPoll

FIRST_STEP = "step=1"


class ShownLink(msgspec.Struct, frozen=True, kw_only=True):
    """The link that a room shows."""

    id: str
    recording: str
    title: str


class Pointer(msgspec.Struct, frozen=True, kw_only=True):
    """Where the teacher points, in parts of a thing: a phone lays it out elsewhere than a projector."""

    pane: Literal["graph", "memory", "code"]
    on: str | None
    """The thing in the picture; None for all of it."""
    x: float
    y: float


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the teacher selected, by its id in the trace."""

    kind: Literal["name", "grad", "tensor", "storage", "cell", "fold", "node", "line"]
    id: int
    cell: int | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What the teacher leads."""

    snippet: ShownLink
    at: str = FIRST_STEP
    view: str = ""
    pointer: Pointer | None = None
    selection: Subject | None = None


class KeptState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a room as it is written."""

    n: int
    shown: Shown
    polls: int = 0
    """How many were asked: the id of the last."""
    poll: KeptPoll | None = None
