"""Compares the output of runs of a program, except for text that differs from run to run."""

import re
from collections.abc import Iterable

MASKS = (
    r"0x[0-9a-f]{6,}",  # addresses
    r"\b\d{12,}\b",  # data_ptr() and id()
    r"\d+(\.\d+)?(e-\d+)? ?(s|sec|secs|seconds|ms)\b",  # durations
    r"(?<=[Tt]ime: )\d+(\.\d+)?",
    r"\b\d\d:\d\d:\d\d\b",
)
"""Text that may differ in any program: addresses and times. A program's own `masks` cover torch.empty and the numbers of
hooks.
"""


def masked(text: str, masks: Iterable[str] = ()) -> str:
    """Replace text that may differ with asterisks."""
    for mask in (*MASKS, *masks):
        text = re.sub(mask, "*", text)
    return text


def difference(plain: str, other: str, *, is_cut: bool, masks: Iterable[str] = ()) -> str | None:
    """Return the first line in which another run differs from the plain one; None if there is none.

    If the other run was cut, its last line may be incomplete, and later lines may be missing.
    """
    masks = tuple(masks)
    expected, found = masked(plain, masks).splitlines(), masked(other, masks).splitlines()
    if is_cut:
        half = found.pop() if found and not other.endswith("\n") else ""
        rest = expected[len(found) : len(found) + 1]
        if half and not (rest and rest[0].startswith(half)):
            return f"line {len(found) + 1}: {half!r} is no beginning of {rest}"
        expected = expected[: len(found)]
    for number, (line, its) in enumerate(zip(expected, found, strict=False), 1):
        if line != its:
            return f"line {number}: {its!r} where plain printed {line!r}"
    if len(expected) != len(found):
        return f"{len(found)} lines where plain printed {len(expected)}"
    return None
