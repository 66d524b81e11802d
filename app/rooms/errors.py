"""Errors of rooms, with their messages.

RoomRefused
"""

from typing import Literal

Kind = Literal[
    "unknown_room",
    "no_poll",
    "not_allowed",
    "not_following",
    "poll_closed",
    "unknown_question",
    "illegal_answer",
    "no_variants",
    "variants_closed",
    "unknown_class",
    "too_large_variant",
    "room_full",
    "too_many_rooms",
    "too_many_streams",
    "too_many_devices",
    "too_fast",
    "busy",
    "room_unreachable",
]


class RoomRefused(Exception):
    """A refused request to a room. `kind` is a code for programs. The message and `hint` are one sentence each."""

    def __init__(self, kind: Kind, message: str, hint: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint
        self.retry_after = retry_after
        """Seconds until a retry; None if a retry does not help."""


def unknown_room() -> RoomRefused:
    """The code is invalid or unknown, or the room has ended. The error is the same in all three cases, so that a client cannot
    find out which codes exist."""
    return RoomRefused("unknown_room", "There is no open room with this code.", "Check the code, or ask your teacher for it.")


def not_allowed() -> RoomRefused:
    """The secret or token is missing or insufficient."""
    message = "The secret or token of this room is missing or wrong."
    return RoomRefused("not_allowed", message, "Join the room again.")


def not_following() -> RoomRefused:
    """A member that does not follow the room sent a vote, a variant or a press."""
    message = "Only members that follow the room may send this, but this page is not following it."
    return RoomRefused("not_following", message, "Try again when the page follows the room again.")


def no_poll() -> RoomRefused:
    """The request names a poll that is not the current poll of the room."""
    return RoomRefused("no_poll", "This question is no longer open.", "Wait for the next one.")


def poll_closed() -> RoomRefused:
    """The poll is already closed."""
    return RoomRefused("poll_closed", "This question is closed.", "Wait for the next one.")


def illegal_answer() -> RoomRefused:
    """The answer is not valid for the question."""
    return RoomRefused("illegal_answer", "This question has no such answer.", "Choose one of its answers.")


def unknown_question(message: str = "The recording does not contain the answer to this question.") -> RoomRefused:
    """The question has no known answer, or more answers than a room lists."""
    return RoomRefused("unknown_question", message, "Ask another question.")


def room_full(most: int) -> RoomRefused:
    """The room has the maximum number of members."""
    return RoomRefused("room_full", f"This room is full: it has {most} members.", "Try again when someone has left.", 30)


def too_many_rooms(most: int | None) -> RoomRefused:
    """A network or the server has the maximum number of open rooms."""
    whose = "This server" if most is None else "Your network"
    number = "" if most is None else f" ({most})"
    message = f"{whose} has reached its limit of open rooms{number}."
    return RoomRefused("too_many_rooms", message, "End a room that you do not need.", 60)


def too_many_streams(most: int) -> RoomRefused:
    """A network has the maximum number of followers."""
    message = f"Your network has reached its limit of connections to rooms ({most})."
    return RoomRefused("too_many_streams", message, "Close windows of rooms that you do not need.", 30)


def too_many_windows(most: int) -> RoomRefused:
    """A client reconnects repeatedly while its earlier connections are still open."""
    message = f"You have reached the limit of connections to this room ({most})."
    return RoomRefused("too_many_streams", message, "Close windows of this room that you do not need.", 5)


def too_many_devices(most: int) -> RoomRefused:
    """The teacher has too many devices."""
    message = f"This room already has {most} teacher's devices."
    return RoomRefused("too_many_devices", message, "Take the room over, which leaves one device.")


def too_fast(seconds: int) -> RoomRefused:
    """A client exceeds its rate limit."""
    return RoomRefused("too_fast", "You send too many requests.", f"Try again in {seconds} seconds.", seconds)


def no_variants() -> RoomRefused:
    """The request names a collection of variants that is not the current one."""
    return RoomRefused("no_variants", "The teacher is not collecting variants.", "Wait until the teacher collects again.")


def variants_closed() -> RoomRefused:
    """The teacher has closed the collection of variants."""
    return RoomRefused("variants_closed", "The teacher has stopped collecting variants.", "Run it only for yourself.")


def unknown_class() -> RoomRefused:
    """The class has no variants."""
    return RoomRefused("unknown_class", "No variant has this outcome now.", "Choose one of the shown classes.")


def too_large_variant(size: int, most: int) -> RoomRefused:
    """The variant is too long."""
    message = f"This variant has {size} bytes; the limit is {most}."
    return RoomRefused("too_large_variant", message, "Shorten it, or run it only for yourself.")


def too_many_variants() -> RoomRefused:
    """The rooms of the server have reached their common limit of variants."""
    return RoomRefused("busy", "This server has reached its limit of variants.", "Try again in a minute.", 60)


def moved() -> RoomRefused:
    """Another server has taken the room, or this server is stopping. The request had no effect."""
    message = "This room is moving to another server, or its server restarts."
    return RoomRefused("room_unreachable", message, "Try again in a second.", 1)
