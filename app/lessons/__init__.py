"""The lesson gallery: one snippet file per lesson.

A lesson is a `.py.txt` file in this folder. It begins with front matter, one `# key: value` comment a line up to the first
empty line; what follows is the snippet as the visitor sees it. Adding a lesson is adding a file. (Not `.py`: a snippet is no
module of ours, so nothing may import, lint or type it as one.)
"""

import re
from functools import cache
from pathlib import Path

from app.trace.records import Record

LANGUAGES = ("en", "zh-CN")
FOLDER = Path(__file__).parent

_FRONT_MATTER = re.compile(r"# ([a-z]+(?:\.[A-Za-z-]+)?): (\S.*)")
_KEYS = frozenset({"order", "group", "ends"} | {f"{key}.{language}" for key in ("title", "summary") for language in LANGUAGES})


class LessonError(ValueError):
    """A lesson file whose front matter cannot be read. The text says which file and why."""


class Lesson(Record, frozen=True, kw_only=True):
    """One lesson of the gallery. `title` and `summary` are keyed by language; backticks in them mark code."""

    slug: str
    order: int
    group: str
    """Its words are the message `lesson-group-<group>`."""
    title: dict[str, str]
    summary: dict[str, str]
    ends: str
    """How plain torch ends it: "finished", or like "RuntimeError at line 12"."""
    source: str


@cache
def _read_all() -> tuple[Lesson, ...]:
    read = [parse(path.name.removesuffix(".py.txt"), path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.py.txt")]
    return tuple(sorted(read, key=lambda lesson: (lesson.order, lesson.slug)))


def lessons() -> list[Lesson]:
    """Every lesson, in the gallery's order. Raises LessonError when a file is not one."""
    return list(_read_all())


def parse(slug: str, text: str) -> Lesson:
    """The lesson written in `text`."""
    head, _, source = text.partition("\n\n")
    keys: dict[str, str] = {}
    for line in head.splitlines():
        match = _FRONT_MATTER.fullmatch(line)
        if match is None:
            raise LessonError(f"{slug}: expected `# key: value`, got {line!r}")
        keys[match[1]] = match[2]
    if keys.keys() != _KEYS:
        raise LessonError(f"{slug}: front matter lacks or has too much: {sorted(keys.keys() ^ _KEYS)}")
    if not keys["order"].isdecimal():
        raise LessonError(f"{slug}: order is a whole number, not {keys['order']!r}")
    return Lesson(
        slug=slug,
        order=int(keys["order"]),
        group=keys["group"],
        title={language: keys[f"title.{language}"] for language in LANGUAGES},
        summary={language: keys[f"summary.{language}"] for language in LANGUAGES},
        ends=keys["ends"],
        source=source,
    )
