"""Finds the running line of the user's code, as text."""

import contextlib
import os
import sys
from types import FrameType
from typing import Final

import torch

NOT_THE_USERS: Final = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(__file__) + os.sep, contextlib.__file__)
"""Beginnings of the files whose frames are passed over: torch, this package, and the entry of context managers."""

_lines: dict[str, dict[int, str] | None] = {}
"""By file: the texts of its lines; None for a file that is passed over. A text is shared by all tensors that the line saves."""


def user_line(frame: FrameType | None) -> str | None:
    """Return `file:line` of the innermost frame of the user's code; None if there is none, as on a thread of torch.

    No frame is kept. Files below the current folder are named relative to it.
    """
    while frame is not None:
        file = frame.f_code.co_filename
        try:
            texts = _lines[file]
        except KeyError:
            is_users = not file.startswith(NOT_THE_USERS) and not file.startswith(("<frozen ", "<eval_with_key>"))
            texts = _lines[file] = {} if is_users else None
        if texts is not None:
            line = frame.f_lineno
            try:
                return texts[line]
            except KeyError:
                return texts.setdefault(line, f"{_short(file)}:{line}")
        frame = frame.f_back
    return None


def caller_line() -> str | None:
    """Return `file:line` of the user's code that called this function."""
    return user_line(sys._getframe(1))


def _short(file: str) -> str:
    try:
        here = os.getcwd()
    except OSError:  # the folder is deleted
        return file
    return file.removeprefix(here + os.sep)
