"""A sentence before formatting: a message of the catalogue with arguments, which may be messages or lists of messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

Argument = Union[str, int, "Message", Sequence["Message"]]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the catalogue with its arguments, for any language."""

    id: str
    arguments: Mapping[str, Argument]


def message(id_: str, **arguments: Argument) -> Message:
    """A message with its arguments by name."""
    return Message(id_, arguments)
