"""The plans: lectures of about 15 minutes over lessons of the course, with notes and questions, one TOML file each.

A plan is a file `<slug>.toml` in this folder with the fields of `Plan`. The permanent URL of a plan is
`/lectures/<slug>`. To add a plan, add a file: `tests/lectures` records the plan's lessons, and checks each step and
each question.
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
    """A lecture that ships with Stepgrad. Every part shows a lesson."""

    slug: str = ""
    """The name of the plan's file."""
    order: int
    title: Words
    about: Words
    """What a class learns from the plan, in one or two sentences."""
    minutes: Annotated[int, msgspec.Meta(ge=5, le=90)]
    parts: Annotated[list[LecturePart], msgspec.Meta(min_length=1)]


@cache
def _read_all() -> tuple[Plan, ...]:
    read = [parse(path.stem, path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(read, key=lambda plan: plan.order))


def plans() -> list[Plan]:
    """All plans, in order. Raises LectureError if a file is not a valid plan."""
    return list(_read_all())


def plan_of(slug: str) -> Plan | None:
    """The plan with this slug; None if no such plan exists."""
    return next((plan for plan in plans() if plan.slug == slug), None)


def parse(slug: str, text: str) -> Plan:
    """Decode a plan from TOML. Raises LectureError."""
    try:
        plan = msgspec.toml.decode(text, type=Plan)
        check(Lecture(parts=plan.parts))
    except (msgspec.ValidationError, msgspec.DecodeError, LectureError) as error:
        raise LectureError(f"{slug}.toml is not a valid plan: {error}") from error
    for number, part in enumerate(plan.parts, 1):
        if part.lesson is None or by_name(part.lesson) is None:
            raise LectureError(f"{slug}.toml is not a valid plan: part {number} does not show a lesson of the course.")
    return msgspec.structs.replace(plan, slug=slug)
