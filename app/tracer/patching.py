"""Puts functions and attributes of ours in the place of torch's, and takes them away again."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_ABSENT = object()
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Patching:
    """The installed replacements, and the functions that undo them, last first."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def remove(self) -> None:
        """Afterwards torch is as it was."""
        while self.undo:
            self.undo.pop()()

    def set(self, place: Any, name: str, value: Any) -> None:
        """This value takes the place of torch's."""
        before = place.__dict__.get(name, _ABSENT)
        setattr(place, name, value)
        self.undo.append(lambda: delattr(place, name) if before is _ABSENT else setattr(place, name, before))

    def method(self, place: Any, name: str) -> Callable[[_Function], _Function]:
        """Decorator: this function takes the place of torch's, and looks like it."""

        def put(function: _Function) -> _Function:
            self.set(place, name, functools.wraps(getattr(place, name))(function))
            return function

        return put
