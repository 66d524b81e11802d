"""The plans: one TOML file for each lecture of about 15 minutes over the course's lessons, with notes and questions.

A plan is a file `<slug>.toml` in this folder with the fields of `Plan`; `/lectures/<slug>` is its address for ever. Adding one is
adding a file: `tests/lectures` records its lessons and checks each step and each question.
"""

from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec

from app.lectures.lecture import Lecture, LectureError, LecturePart, check
from app.lessons import Words, by_name
from app.trace.records import Record

FOLDER = Path(__file__).parent


class Plan(Record, frozen=True, kw_only=True):
    """A lecture that ships with Stepgrad: every part shows a lesson."""

    slug: str = ""
    """The name of its file."""
    order: int
    title: Words
    about: Words
    """What a class knows after it, in one or two sentences."""
    minutes: Annotated[int, msgspec.Meta(ge=5, le=90)]
    parts: Annotated[list[LecturePart], msgspec.Meta(min_length=1)]


@cache
def _read_all() -> tuple[Plan, ...]:
    read = [parse(path.stem, path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(read, key=lambda plan: plan.order))


def plans() -> list[Plan]:
    """Every plan, in order. Raises LectureError when a file is not one."""
    return list(_read_all())


def plan_of(slug: str) -> Plan | None:
    """The plan at this address."""
    return next((plan for plan in plans() if plan.slug == slug), None)


def parse(slug: str, text: str) -> Plan:
    """The plan written in `text`. Raises LectureError."""
    try:
        plan = msgspec.toml.decode(text, type=Plan)
        check(Lecture(parts=plan.parts))
    except (msgspec.ValidationError, msgspec.DecodeError, LectureError) as error:
        raise LectureError(f"{slug}.toml is no plan: {error}") from error
    for number, part in enumerate(plan.parts, 1):
        if part.lesson is None or by_name(part.lesson) is None:
            raise LectureError(f"{slug}.toml is no plan: part {number} shows no lesson of the course.")
    return msgspec.structs.replace(plan, slug=slug)
