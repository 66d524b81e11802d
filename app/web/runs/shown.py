"""The fields of a share link: notice, parent, title, author and notes."""

from datetime import datetime

import msgspec


class Notice(msgspec.Struct, frozen=True):
    """A notice for visitors of a link. `kind` is a code for programs; `message` is one sentence."""

    kind: str
    message: str


class Parent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The parent of a link: the link from whose snippet this link's snippet was edited."""

    id: str
    title: str = ""
    author: str = ""


class Shared(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a link without its document."""

    id: str
    source: str
    seed: int
    stand_in: bool = False
    notice: Notice | None = None
    title: str = ""
    author: str = ""
    notes: dict[str, str] = {}
    """Notes about steps, by the step's part of the URL."""
    parent: Parent | None = None
    """The link from which the snippet was edited; None without a parent, or if the parent was deleted or is held."""


def notice_of(recorded_again: datetime | None) -> Notice | None:
    """The notice for a link with a new recording; None if the link still has its first recording."""
    if recorded_again is None:
        return None
    when = f"{recorded_again:%Y-%m-%d}"
    message = (
        "The original recording of this link is no longer readable, or its run ended by accident. "
        f"So the snippet was recorded again on {when}."
    )
    return Notice("recorded_again", message)
