"""Lectures. Each part of a lecture shows a recording at a step, with the teacher's note, a question and a tally.

Published lectures and the plans that ship with Stepgrad (`plans.py`) have the same type.
"""

from typing import Annotated, Final, Literal

import msgspec

from app.questions.asked import Answer, Question
from app.trace.records import Record

MOST_PARTS: Final = 60
MOST_LINKS: Final = 20
"""Maximum number of different links in one lecture."""
MOST_NOTES: Final = 16_000
"""Maximum characters of all notes of a lecture in one language, the same as for a link."""
MOST_QUESTIONS: Final = 30
MOST_TALLY: Final = 200
"""Maximum number of different answers in one tally."""
MOST_TALLIES: Final = 1_000
"""Maximum number of different answers in all tallies of a lecture."""

Step = Annotated[str, msgspec.Meta(pattern=r"\Astep=[1-9][0-9]{0,8}(&by=(line|operator))?\Z")]
"""A step, in the form of a URL."""
View = Annotated[str, msgspec.Meta(max_length=1400, pattern=r"\A[A-Za-z0-9=&._~,%-]*\Z")]
"""The view of the step, in the form of a URL: open groups and pinned names."""
LinkId = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9]{1,16}\Z")]
ProgramName = Annotated[str, msgspec.Meta(max_length=100, pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*(/fixed)?\Z")]
"""A lesson's slug, or the slug with `/fixed` for the correct version."""
NoteText = Annotated[str, msgspec.Meta(max_length=2000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Id = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class LectureError(ValueError):
    """The data is not a valid lecture. The error's text is one sentence that names the part and the reason."""


class LectureNote(Record, frozen=True, kw_only=True):
    """The note on a step in one or two languages. An empty string means that the note lacks this language."""

    en: NoteText = ""
    zh_cn: NoteText = msgspec.field(name="zh-CN", default="")


class Marked(Record, frozen=True, kw_only=True):
    """The item that the teacher marked at a step: its id in the recording, or a line number."""

    kind: Literal["name", "grad", "tensor", "storage", "cell", "node", "line"]
    id: Id
    cell: Id | None = None


class Asks(Record, frozen=True, kw_only=True):
    """A question about a lesson, for any recording of its snippet.

    `place` selects one of the possible questions of this kind about the run between the part's step and `until`,
    counted from 1.
    """

    kind: Literal[
        "node", "sends", "grad", "counter", "cell", "value", "version", "grad_fn", "culprit", "raises", "raising_line"
    ]
    until: Step
    place: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1


class LecturePart(Record, frozen=True, kw_only=True):
    """One recording at one step. Exactly one of `snippet` and `lesson` is set."""

    snippet: LinkId | None = None
    """The id of a stored link."""
    lesson: ProgramName | None = None
    at: Step
    view: View = ""
    marked: Marked | None = None
    note: LectureNote | None = None
    question: Question | None = None
    """A question about a stored link, with ids and ticks of its recording."""
    asks: Asks | None = None
    """A question about a lesson."""
    tally: Annotated[list[tuple[Answer, Count]], msgspec.Meta(max_length=MOST_TALLY)] = []
    """How often each answer to `question` was given, without names."""


class Lecture(Record, frozen=True, kw_only=True):
    """A lecture of a teacher. The title and the author are single lines of plain text, written by the teacher."""

    title: Annotated[str, msgspec.Meta(max_length=120)] = ""
    author: Annotated[str, msgspec.Meta(max_length=80)] = ""
    parts: Annotated[list[LecturePart], msgspec.Meta(min_length=1, max_length=MOST_PARTS)]


_LECTURE: Final = msgspec.json.Decoder(Lecture)


def decode_lecture(content: bytes) -> Lecture:
    """Decode a lecture from JSON, with the title and the author normalized to one line each. Raises LectureError."""
    try:
        read = _LECTURE.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LectureError(f"{error}."[:300]) from error
    tidy = msgspec.structs.replace(read, title=" ".join(read.title.split()), author=" ".join(read.author.split()))
    check(tidy)
    return tidy


def check(lecture: Lecture) -> None:
    """Check the conditions that involve several fields. Raises LectureError."""
    for number, part in enumerate(lecture.parts, 1):
        fault = _fault(part)
        if fault:
            raise LectureError(f"Part {number} {fault}.")
    if len({part.snippet for part in lecture.parts if part.snippet is not None}) > MOST_LINKS:
        raise LectureError(f"A lecture shows at most {MOST_LINKS} different links.")
    notes = [part.note for part in lecture.parts if part.note is not None]
    for written in ([note.en for note in notes], [note.zh_cn for note in notes]):
        if sum(map(len, written)) > MOST_NOTES:
            raise LectureError(f"The notes of a lecture may have at most {MOST_NOTES} characters in total in one language.")
    if sum(part.question is not None for part in lecture.parts) > MOST_QUESTIONS:
        raise LectureError(f"A lecture has at most {MOST_QUESTIONS} questions.")
    if sum(len(part.tally) for part in lecture.parts) > MOST_TALLIES:
        raise LectureError(f"The tallies of a lecture may have at most {MOST_TALLIES} answers in total.")
    if not _is_text(lecture):
        raise LectureError("A text contains a NUL character or a lone surrogate.")


def _fault(part: LecturePart) -> str:
    if (part.snippet is None) == (part.lesson is None):
        return "needs either a link or a lesson"
    if part.question is not None and part.snippet is None:
        return "has a question about a link, but shows a lesson"
    if part.asks is not None and part.lesson is None:
        return "has a question about a lesson, but shows a link"
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
