"""A sentence before it is said: a message of the catalogue and what it is about; an argument may be a phrase, or a row of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

Argument = Union[str, int, "Message", Sequence["Message"]]


@dataclass(frozen=True, slots=True)
class Message:
    """What `id` says of these arguments, in whatever language."""

    id: str
    arguments: Mapping[str, Argument]


def message(id_: str, **arguments: Argument) -> Message:
    """A message with its arguments by name."""
    return Message(id_, arguments)
