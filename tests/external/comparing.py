"""Compare the output of two runs of a program, ignoring text that differs between runs."""

import re
from collections.abc import Iterable

MASKS = (
    r"0x[0-9a-f]{6,}",
    r"\b\d{12,}\b",  # data_ptr() and id()
    r"\d+(\.\d+)?(e-\d+)? ?(s|sec|secs|seconds|ms)\b",  # durations
    r"(?<=[Tt]ime: )\d+(\.\d+)?",
    r"\b\d\d:\d\d:\d\d\b",
)
"""Text that may differ for any program: addresses and durations. A program's `masks` describe other differences."""


def masked(text: str, masks: Iterable[str] = ()) -> str:
    """Replace text that may differ with asterisks."""
    for mask in (*MASKS, *masks):
        text = re.sub(mask, "*", text)
    return text


def difference(plain: str, other: str, *, is_cut: bool, masks: Iterable[str] = ()) -> str | None:
    """Return the first line in which the other run differs from the run without a recorder; None if there is none.

    The last line of a cut run may be incomplete, and later lines may be missing.
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
