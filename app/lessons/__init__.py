"""The course: one TOML file per lesson, from a claim over a prediction and a run to the verdict and a change to make oneself.

A lesson is a file `<slug>.toml` in this folder with the fields of `Lesson`; the slug is its address for ever. Adding a lesson is
adding a file: `tests/lessons` runs it in plain torch and under the recorder, and checks all that it states.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from app.trace.records import Record

FOLDER = Path(__file__).parent

Group = Literal["path", "memory", "views", "versions", "leaves", "cut", "lifetime", "numpy", "modules", "modes"]
"""In the order of the course; its words are the message `lesson-group-<group>`. "path" holds the ten lessons to begin with."""

GROUPS: tuple[str, ...] = Group.__args__  # type: ignore[attr-defined]

Said = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\A\S(.*\S)?\Z")]
"""One line of prose; backticks in it mark code."""

Code = Annotated[str, msgspec.Meta(min_length=1)]
Place = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z_.]+ at line [1-9][0-9]*\Z")]


class LessonError(ValueError):
    """A lesson file is invalid. The text names the file and the reason."""


class Words(Record, frozen=True, kw_only=True):
    """The same in every language."""

    en: Said
    zh_cn: Said = msgspec.field(name="zh-CN")


class Proof(Record, frozen=True, kw_only=True):
    """What plain torch answers when the program has ended, also by an exception."""

    line: Annotated[int, msgspec.Meta(ge=1)]
    """Where the player is taken to see it: after the last time this line ran."""
    expression: Code
    value: Code
    """Its `repr`."""


class Program(Record, frozen=True, kw_only=True):
    """A snippet and all that is stated about its run."""

    source: Code
    ends: Literal["finished"] | Place = "finished"
    """How plain torch ends it: "finished", or like "RuntimeError at line 12"."""
    findings: list[Place] = []
    """Every error and warning among its findings, in their order, like "stale_saved_tensor at line 8". Hints are not stated."""
    proof: Annotated[list[Proof], msgspec.Meta(min_length=1)]


class Check(Record, frozen=True, kw_only=True):
    """What a run must show at its end. `static/js/lazy/lesson/proofs.js` asks the trace."""

    expression: Code
    value: Code
    """Its `repr`."""


class Change(Record, frozen=True, kw_only=True):
    """A replaced line of a snippet."""

    line: Annotated[int, msgspec.Meta(ge=1)]
    to: str
    """What stands there instead, also of several lines; nothing takes the line away."""


class Attempt(Record, frozen=True, kw_only=True):
    """One change that a visitor makes to `snippet` without help. Their run is checked, never their text."""

    task: Words
    ends: Annotated[str, msgspec.Meta(pattern=r"\A(finished|[A-Z][A-Za-z]*(Error|Exception))\Z")] = "finished"
    """How the run must end: "finished", or the type of what it raises."""
    checks: Annotated[list[Check], msgspec.Meta(min_length=1)]
    """All of which must hold."""
    change: Annotated[list[Change], msgspec.Meta(min_length=1)]
    """A solution, shown on request."""


class Lesson(Record, frozen=True, kw_only=True):
    """One lesson of the course."""

    slug: str = ""
    """The name of its file."""
    order: int
    """Its place within its group."""
    group: Group
    title: Words
    claim: Words
    """A claim that many believe or have read. It is always shown in quotation marks and asked about, because it may be false."""
    question: Words
    """What a visitor is asked to predict."""
    choices: Annotated[list[Code | Words], msgspec.Meta(min_length=2, max_length=5)]
    """A text is code, the same in every language."""
    answer: Annotated[int, msgspec.Meta(ge=1)]
    """Which of the choices is right, from 1."""
    verdict: Literal["right", "wrong", "half"]
    """Of the claim; half: true only at times, or for another reason than the one given."""
    why: Words
    """One to three sentences that the run proves."""
    snippet: Program
    fixed: Program | None = None
    """How it is done rightly, where `snippet` goes wrong; the two can be seen side by side."""
    now_try: Attempt
    """What the lesson ends with."""


@cache
def _read_all() -> tuple[Lesson, ...]:
    read = [parse(path.stem, path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(read, key=lambda lesson: (GROUPS.index(lesson.group), lesson.order, lesson.slug)))


def lessons() -> list[Lesson]:
    """Every lesson, in the order of the course. Raises LessonError when a file is not one."""
    return list(_read_all())


def by_name(name: str) -> Lesson | None:
    """The lesson with the program `name`: its slug, or with `/fixed` after it."""
    slug, _, variant = name.partition("/")
    found = next((lesson for lesson in lessons() if lesson.slug == slug), None)
    return found if variant == "" or (variant == "fixed" and found is not None and found.fixed is not None) else None


def lesson_of(source: str) -> Lesson | None:
    """The lesson that has a program with this `source`."""
    programs = ((lesson, program) for lesson in lessons() for program in (lesson.snippet, lesson.fixed))
    return next((lesson for lesson, program in programs if program is not None and program.source == source), None)


def changed(lesson: Lesson) -> str:
    """The lesson's snippet with the change that `now_try` gives."""
    anew = {change.line: change.to for change in lesson.now_try.change}
    lines = enumerate(lesson.snippet.source.splitlines(), 1)
    return "".join(anew.get(number, line) + "\n" for number, line in lines if anew.get(number) != "")


def parse(slug: str, text: str) -> Lesson:
    """The lesson written in `text`. Raises LessonError."""
    try:
        lesson = msgspec.toml.decode(text, type=Lesson)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise LessonError(f"{slug}.toml is no lesson: {error}") from error
    if lesson.answer > len(lesson.choices):
        raise LessonError(f"{slug}.toml is no lesson: its answer is choice {lesson.answer} of {len(lesson.choices)}.")
    for program in filter(None, [lesson.snippet, lesson.fixed]):
        lines = len(program.source.splitlines())
        if beyond := [proof.line for proof in program.proof if proof.line > lines]:
            raise LessonError(f"{slug}.toml is no lesson: a proof is at line {beyond[0]} of {lines}.")
    lines = len(lesson.snippet.source.splitlines())
    if beyond := [change.line for change in lesson.now_try.change if change.line > lines]:
        raise LessonError(f"{slug}.toml is no lesson: a change is at line {beyond[0]} of {lines}.")
    return msgspec.structs.replace(lesson, slug=slug)
