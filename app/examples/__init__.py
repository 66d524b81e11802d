"""The example programs in the menu of the editor, from a write through `.data` to a transformer block.

An example is the snippet of a lesson, or a file `<name>.toml` in this folder. `tests/examples` runs all examples.
"""

from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from app.lessons import Code, Words, lessons
from app.trace.records import Record

FOLDER: Final = Path(__file__).parent
ORDER: Final = (
    "data-hides-the-write",
    "a-first-gradient",
    "views-follow-their-base",
    "clone-sends-gradients-back",
    "training-loop",
    "small-classifier",
    "attention-head",
    "transformer-block",
)
"""The examples in the order of the menu: slugs of lessons, then names of files."""


class Example(Record, frozen=True, kw_only=True):
    """One program with its title in the menu."""

    name: str = ""
    """The slug of the example's lesson, or the name of the example's file."""
    title: Words
    source: Code


@cache
def examples() -> tuple[Example, ...]:
    """Every example, in the order of the menu."""
    slugs = {lesson.slug: Example(name=lesson.slug, title=lesson.title, source=lesson.snippet.source) for lesson in lessons()}
    return tuple(slugs.get(name) or _read(name) for name in ORDER)


def _read(name: str) -> Example:
    read = msgspec.toml.decode((FOLDER / f"{name}.toml").read_text(encoding="utf-8"), type=Example)
    return msgspec.structs.replace(read, name=name)
