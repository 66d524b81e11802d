"""Lectures: an ordered list of parts, each a recording at a step with its teacher's note, question and tally.

Published lectures and the plans that ship with Stepgrad (`plans.py`) have the same type.
"""

from typing import Annotated, Final, Literal

import msgspec

from app.questions.asked import Answer, Question
from app.trace.records import Record

MOST_PARTS: Final = 60
MOST_LINKS: Final = 20
"""Different recordings of one lecture."""
MOST_NOTES: Final = 16_000
"""Characters of all notes of a lecture in one language: as many as a link has."""
MOST_QUESTIONS: Final = 30
MOST_TALLY: Final = 200
"""Different answers of one tally."""
MOST_TALLIES: Final = 1_000
"""The same of all tallies of a lecture."""

Step = Annotated[str, msgspec.Meta(pattern=r"\Astep=[1-9][0-9]{0,8}(&by=(line|operator))?\Z")]
"""A step, in the form of an address."""
View = Annotated[str, msgspec.Meta(max_length=1400, pattern=r"\A[A-Za-z0-9=&._~,%-]*\Z")]
"""The view of the step, in the form of an address: open groups and pinned names."""
LinkId = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9]{1,16}\Z")]
ProgramName = Annotated[str, msgspec.Meta(max_length=100, pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*(/fixed)?\Z")]
"""A lesson's slug, with `/fixed` behind it for how it is done rightly."""
NoteText = Annotated[str, msgspec.Meta(max_length=2000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Id = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class LectureError(ValueError):
    """The data is not a lecture. The text is one sentence with the place and the reason."""


class LectureNote(Record, frozen=True, kw_only=True):
    """The note on a step, in the teacher's languages; empty: not in this one."""

    en: NoteText = ""
    zh_cn: NoteText = msgspec.field(name="zh-CN", default="")


class Marked(Record, frozen=True, kw_only=True):
    """The marked item: its id in the recording, or a line number."""

    kind: Literal["name", "grad", "tensor", "storage", "cell", "node", "line"]
    id: Id
    cell: Id | None = None


class Asks(Record, frozen=True, kw_only=True):
    """A question about a lesson with a new recording: the `place`th possible one of its kind.

    It is about the run between the step of its part and `until`.
    """

    kind: Literal[
        "node", "sends", "grad", "counter", "cell", "value", "version", "grad_fn", "culprit", "raises", "raising_line"
    ]
    until: Step
    place: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1


class LecturePart(Record, frozen=True, kw_only=True):
    """One recording at one step. Of `snippet` and `lesson` there is exactly one."""

    snippet: LinkId | None = None
    """The id of a stored link."""
    lesson: ProgramName | None = None
    at: Step
    view: View = ""
    marked: Marked | None = None
    note: LectureNote | None = None
    question: Question | None = None
    """Of a stored link: its ids and ticks are those of the recording."""
    asks: Asks | None = None
    """The same of a lesson."""
    tally: Annotated[list[tuple[Answer, Count]], msgspec.Meta(max_length=MOST_TALLY)] = []
    """How often each answer to `question` was given, without names."""


class Lecture(Record, frozen=True, kw_only=True):
    """What a teacher publishes. Title and author are plain text of one line in the teacher's words."""

    title: Annotated[str, msgspec.Meta(max_length=120)] = ""
    author: Annotated[str, msgspec.Meta(max_length=80)] = ""
    parts: Annotated[list[LecturePart], msgspec.Meta(min_length=1, max_length=MOST_PARTS)]


_LECTURE: Final = msgspec.json.Decoder(Lecture)


def decode_lecture(content: bytes) -> Lecture:
    """The lecture that these bytes of JSON are, its title and author as one line each. Raises LectureError."""
    try:
        read = _LECTURE.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LectureError(f"{error}."[:300]) from error
    tidy = msgspec.structs.replace(read, title=" ".join(read.title.split()), author=" ".join(read.author.split()))
    check(tidy)
    return tidy


def check(lecture: Lecture) -> None:
    """Raise LectureError for what no field alone can tell."""
    for number, part in enumerate(lecture.parts, 1):
        fault = _fault(part)
        if fault:
            raise LectureError(f"Part {number} {fault}.")
    if len({part.snippet for part in lecture.parts if part.snippet is not None}) > MOST_LINKS:
        raise LectureError(f"A lecture shows at most {MOST_LINKS} different links.")
    notes = [part.note for part in lecture.parts if part.note is not None]
    for written in ([note.en for note in notes], [note.zh_cn for note in notes]):
        if sum(map(len, written)) > MOST_NOTES:
            raise LectureError(f"All notes of a lecture have at most {MOST_NOTES} characters in one language.")
    if sum(part.question is not None for part in lecture.parts) > MOST_QUESTIONS:
        raise LectureError(f"A lecture has at most {MOST_QUESTIONS} questions.")
    if sum(len(part.tally) for part in lecture.parts) > MOST_TALLIES:
        raise LectureError(f"All tallies of a lecture have at most {MOST_TALLIES} answers.")
    if not _is_text(lecture):
        raise LectureError("A text holds a NUL character or half a character (a lone surrogate).")


def _fault(part: LecturePart) -> str:
    if (part.snippet is None) == (part.lesson is None):
        return "needs a link or a lesson, and not both"
    if part.question is not None and part.snippet is None:
        return "has a question about a recording, but shows a lesson"
    if part.asks is not None and part.lesson is None:
        return "asks as a lesson does, but shows a link"
    if part.tally and part.question is None:
        return "has a tally, but no question"
    if len({msgspec.json.encode(answer) for answer, _ in part.tally}) < len(part.tally):
        return "counts an answer twice"
    return ""


def _is_text(lecture: Lecture) -> bool:
    try:
        written = msgspec.json.encode(lecture)
    except UnicodeEncodeError:
        return False
    return b"\\u0000" not in written
