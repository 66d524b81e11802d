"""The stored state of a room without votes and presses: the displayed step and the question."""

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
    """The teacher's pointer, in fractions of an element, because layouts of phones and projectors differ."""

    pane: Literal["graph", "memory", "code"]
    on: str | None
    """The element in the picture; None for the whole picture."""
    x: float
    y: float


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The teacher's selection, by its id in the trace."""

    kind: Literal["name", "grad", "tensor", "storage", "cell", "fold", "node", "line"]
    id: int
    cell: int | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the room's state that the teacher controls: link, step, view, pointer and selection."""

    snippet: ShownLink
    at: str = FIRST_STEP
    view: str = ""
    pointer: Pointer | None = None
    selection: Subject | None = None


class KeptState(msgspec.Struct, frozen=True, kw_only=True):
    """The stored state of a room."""

    n: int
    shown: Shown
    polls: int = 0
    """The number of polls that the room has had, which is also the id of the last one."""
    poll: KeptPoll | None = None
