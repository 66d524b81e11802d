"""Replaces functions and attributes of torch, and restores them."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_ABSENT = object()
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Patching:
    """The installed replacements."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        """Functions that undo the replacements; called in reverse order."""

    def remove(self) -> None:
        """Restore torch."""
        while self.undo:
            self.undo.pop()()

    def set(self, place: Any, name: str, value: Any) -> None:
        """Set an attribute of torch to `value`, until the replacements are undone."""
        before = place.__dict__.get(name, _ABSENT)
        setattr(place, name, value)
        self.undo.append(lambda: delattr(place, name) if before is _ABSENT else setattr(place, name, before))

    def method(self, place: Any, name: str) -> Callable[[_Function], _Function]:
        """Decorator: the function replaces a function of torch, and gets the name and docstring of the original."""

        def put(function: _Function) -> _Function:
            self.set(place, name, functools.wraps(getattr(place, name))(function))
            return function

        return put
