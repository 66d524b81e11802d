"""The course: one TOML file per lesson.

A lesson states a claim, asks for a prediction, runs a snippet, judges the claim, and asks the visitor for a change to the
snippet. A lesson is stored as the file `<slug>.toml` in this folder, with the fields of `Lesson`. The slug is part of the
lesson's permanent URL. To add a lesson, add a file: `tests/lessons` runs the lesson in plain torch and under the recorder,
and checks all statements of the lesson.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from app.trace.records import Record

FOLDER = Path(__file__).parent

Group = Literal["path", "memory", "views", "versions", "leaves", "cut", "lifetime", "numpy", "modules", "modes"]
"""The groups of lessons, in the order of the course.

The message `lesson-group-<group>` is the title. "path" has the first ten lessons.
"""

GROUPS: tuple[str, ...] = Group.__args__  # type: ignore[attr-defined]

Said = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\A\S(.*\S)?\Z")]
"""One line of prose; backticks mark code."""

Code = Annotated[str, msgspec.Meta(min_length=1)]
Place = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z_.]+ at line [1-9][0-9]*\Z")]


class LessonError(ValueError):
    """A lesson file is invalid. The error's text names the file and the reason."""


class Words(Record, frozen=True, kw_only=True):
    """A text in every language."""

    en: Said
    zh_cn: Said = msgspec.field(name="zh-CN")


class Proof(Record, frozen=True, kw_only=True):
    """The value of an expression in plain torch after the program has ended. The program may end with an exception."""

    line: Annotated[int, msgspec.Meta(ge=1)]
    """The line at which the player shows the value, after the last run of this line."""
    expression: Code
    value: Code
    """Its `repr`."""


class Program(Record, frozen=True, kw_only=True):
    """A snippet, and facts about its run that the tests check."""

    source: Code
    ends: Literal["finished"] | Place = "finished"
    """How the program ends in plain torch: "finished", or an exception such as "RuntimeError at line 12"."""
    findings: list[Place] = []
    """All errors and warnings among the run's findings, in order, such as "stale_saved_tensor at line 8".

    Hints are not listed.
    """
    proof: Annotated[list[Proof], msgspec.Meta(min_length=1)]


class Check(Record, frozen=True, kw_only=True):
    """The required value of an expression at the end of a run.

    `static/js/lazy/lesson/proofs.js` looks the value up in the trace.
    """

    expression: Code
    value: Code
    """Its `repr`."""


class Change(Record, frozen=True, kw_only=True):
    """A replaced line of a snippet."""

    line: Annotated[int, msgspec.Meta(ge=1)]
    to: str
    """The new line or lines; "" deletes the line."""


class Attempt(Record, frozen=True, kw_only=True):
    """A task in which a visitor changes `snippet`. The checks examine the run of the changed snippet, not its text."""

    task: Words
    ends: Annotated[str, msgspec.Meta(pattern=r"\A(finished|[A-Z][A-Za-z]*(Error|Exception))\Z")] = "finished"
    """How the run must end: "finished", or the type of the raised exception."""
    checks: Annotated[list[Check], msgspec.Meta(min_length=1)]
    """All checks must pass."""
    change: Annotated[list[Change], msgspec.Meta(min_length=1)]
    """A solution, shown on request."""


class Lesson(Record, frozen=True, kw_only=True):
    """One lesson of the course."""

    slug: str = ""
    """The name of the lesson's file, without `.toml`."""
    order: int
    """The lesson's position in its group."""
    group: Group
    title: Words
    claim: Words
    """A common claim. The page always shows the claim in quotation marks and as a question, because the claim may be false."""
    question: Words
    """The question whose answer a visitor predicts."""
    choices: Annotated[list[Code | Words], msgspec.Meta(min_length=2, max_length=5)]
    """The possible answers. A plain string is code, the same in every language."""
    answer: Annotated[int, msgspec.Meta(ge=1)]
    """The number of the correct choice, from 1."""
    verdict: Literal["right", "wrong", "half"]
    """The verdict on the claim. "half": true only in some cases, or for another reason."""
    why: Words
    """The explanation: one to three sentences that the run proves."""
    snippet: Program
    fixed: Program | None = None
    """The correct version of `snippet`, if `snippet` has an error. Both can be shown side by side."""
    now_try: Attempt
    """The task at the end of the lesson."""


@cache
def _read_all() -> tuple[Lesson, ...]:
    read = [parse(path.stem, path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(read, key=lambda lesson: (GROUPS.index(lesson.group), lesson.order, lesson.slug)))


def lessons() -> list[Lesson]:
    """All lessons, in the order of the course. Raises LessonError if a file is not a valid lesson."""
    return list(_read_all())


def by_name(name: str) -> Lesson | None:
    """The lesson with the program `name`, which is a slug, or a slug with `/fixed`; None if no such lesson exists."""
    slug, _, variant = name.partition("/")
    found = next((lesson for lesson in lessons() if lesson.slug == slug), None)
    return found if variant == "" or (variant == "fixed" and found is not None and found.fixed is not None) else None


def lesson_of(source: str) -> Lesson | None:
    """The lesson that has a program with this `source`; None if no such lesson exists."""
    programs = ((lesson, program) for lesson in lessons() for program in (lesson.snippet, lesson.fixed))
    return next((lesson for lesson, program in programs if program is not None and program.source == source), None)


def changed(lesson: Lesson) -> str:
    """The lesson's snippet with the changes that solve the task `now_try`."""
    anew = {change.line: change.to for change in lesson.now_try.change}
    lines = enumerate(lesson.snippet.source.splitlines(), 1)
    return "".join(anew.get(number, line) + "\n" for number, line in lines if anew.get(number) != "")


def parse(slug: str, text: str) -> Lesson:
    """Decode a lesson from TOML. Raises LessonError."""
    try:
        lesson = msgspec.toml.decode(text, type=Lesson)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise LessonError(f"{slug}.toml is not a valid lesson: {error}") from error
    if lesson.answer > len(lesson.choices):
        raise LessonError(f"{slug}.toml is not a valid lesson: its answer is choice {lesson.answer} of {len(lesson.choices)}.")
    for program in filter(None, [lesson.snippet, lesson.fixed]):
        lines = len(program.source.splitlines())
        if beyond := [proof.line for proof in program.proof if proof.line > lines]:
            raise LessonError(f"{slug}.toml is not a valid lesson: a proof is at line {beyond[0]} of {lines}.")
    lines = len(lesson.snippet.source.splitlines())
    if beyond := [change.line for change in lesson.now_try.change if change.line > lines]:
        raise LessonError(f"{slug}.toml is not a valid lesson: a change is at line {beyond[0]} of {lines}.")
    return msgspec.structs.replace(lesson, slug=slug)
