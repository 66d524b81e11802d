"""A sentence before it is formatted: a message of the catalogue with arguments, which may be messages or lists of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

Argument = Union[str, int, "Message", Sequence["Message"]]


@dataclass(frozen=True, slots=True)
class Message:
    """The message `id` with these arguments, in any language."""

    id: str
    arguments: Mapping[str, Argument]


def message(id_: str, **arguments: Argument) -> Message:
    """A message with its arguments by name."""
    return Message(id_, arguments)
