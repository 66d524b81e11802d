"""Validates, stores, changes, deletes and reads published lectures."""

import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog

from app.engine import Requester
from app.explainers import Explainers, NotExplained, Unreadable
from app.lectures import Lecture, LectureError, LecturePart, Plan, check
from app.lessons import by_name
from app.questions.answers import is_legal
from app.questions.asked import Answer
from app.questions.posed import Posed
from app.store import KeptLecture, Maker, QuotaSpent, Recording, Reporter, Store, StoreError, Written
from app.web.edge.errors import Problem, held_back, outdated_recording, wrong_token
from app.web.edge.prefix import API
from app.web.operations.metrics import Metrics
from app.web.runs.runs import TOKEN_BYTES, Runs


class LectureChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """New title, author or parts of a lecture. Omitted fields do not change."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    author: str | msgspec.UnsetType = msgspec.UNSET
    parts: list[LecturePart] | msgspec.UnsetType = msgspec.UNSET


class ShownPart(LecturePart, frozen=True, kw_only=True):
    """A part of a lecture, and the URL of the document that it shows."""

    document: str | None = None
    """The URL of the part's document; None if the link was deleted or is held."""


class ShownLecture(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A published lecture, in the form that readers get."""

    id: str
    title: str = ""
    author: str = ""
    created: datetime
    changed: datetime | None = None
    parts: list[ShownPart]


class KeptLectures:
    """The lectures of one server. Each method may raise Problem and StoreErrors."""

    def __init__(self, store: Store, runs: Runs, explainers: Explainers, metrics: Metrics) -> None:
        self._store = store
        self._runs = runs
        self._explainers = explainers
        self._metrics = metrics

    async def keep(self, lecture: Lecture, requester: Requester) -> tuple[str, str]:
        """Store a lecture; return its id and its deletion token. Raises Problem (404, 409, 410, 422)."""
        maker = Maker(address=requester.address, visitor=requester.visitor, token=secrets.token_urlsafe(TOKEN_BYTES))
        try:
            await self._store.check_quotas(maker)
            await self._check(lecture, (), requester)
            return await self._store.lectures.keep(_written(lecture), maker), maker.token
        except QuotaSpent as spent:
            self._metrics.refused(f"quota_of_{spent.whose}")
            raise

    async def change(self, lecture_id: str, token: str, change: LectureChange, requester: Requester) -> None:
        """Change a lecture. Raises Problem (403, 404, 409, 422)."""
        kept = await self._kept(lecture_id)
        before = _lecture_of(kept)
        sent = {name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not msgspec.UNSET}
        after = checked(msgspec.structs.replace(before, **sent))
        if not await self._store.lectures.has_token(lecture_id, token):  # first, because the checks below are expensive
            raise wrong_token()
        await self._check(after, before.parts, requester)
        latest = _lecture_of(await self._kept(lecture_id))  # another window may have changed the omitted fields
        after = checked(msgspec.structs.replace(latest, **sent))
        if not await self._store.lectures.change(lecture_id, token, _written(after)):
            raise wrong_token()

    async def delete(self, lecture_id: str, token: str) -> None:
        """Delete a lecture, but not the lecture's links. Raises Problem (403, 404)."""
        await self._kept(lecture_id)
        if not await self._store.lectures.delete_by_token(lecture_id, token):
            raise wrong_token()

    async def shown(self, lecture_id: str) -> ShownLecture:
        """The content of a lecture. The call counts as a visit of the lecture and its links. Raises Problem (404, 410)."""
        kept = await self._open(lecture_id)
        lecture = _lecture_of(kept)
        there = await self._store.links.shown(set(_links(lecture.parts)))
        try:
            await self._store.lectures.visit(kept, there)
        except StoreError as error:  # if the visit cannot be counted, the lecture is still shown
            structlog.get_logger().warning("visit not recorded", error=str(error))
        return ShownLecture(
            id=kept.id,
            title=kept.title,
            author=kept.author,
            created=kept.created.replace(tzinfo=UTC),
            changed=kept.changed and kept.changed.replace(tzinfo=UTC),
            parts=[_shown(part, there) for part in lecture.parts],
        )

    async def report(self, lecture_id: str, reporter: Reporter, reason: str) -> None:
        """Store a visitor's report of a lecture. Raises Problem (404, 410)."""
        await self._open(lecture_id)
        try:
            await self._store.lecture_reports.add(lecture_id, reporter, reason)
        except QuotaSpent:
            self._metrics.refused("quota_of_reports")
            raise

    async def _kept(self, lecture_id: str) -> KeptLecture:
        kept = await self._store.lectures.lecture(lecture_id)
        if kept is None:
            raise unknown_lecture()
        return kept

    async def _open(self, lecture_id: str) -> KeptLecture:
        kept = await self._kept(lecture_id)
        if kept.held is not None:
            raise held_back()
        return kept

    async def _check(self, lecture: Lecture, before: Sequence[LecturePart], requester: Requester) -> None:
        """Raise Problem if a link is missing or an answer is illegal. The check skips parts of the lecture `before`."""
        stood = {_facts(part) for part in before}
        known = set(_links(before))
        there = await self._store.links.shown({*_links(lecture.parts)} - known)
        for number, part in enumerate(lecture.parts, 1):
            if part.snippet is not None and part.snippet not in known | there:
                raise unknown_part(number, "a link that does not exist on this server, or is withheld")
            if part.lesson is not None and by_name(part.lesson) is None:
                raise unknown_part(number, "a lesson that does not exist")
        anew = [part for part in lecture.parts if part.question is not None and _facts(part) not in stood]
        for link in dict.fromkeys(_links(anew)):
            await self._check_answers(link, [part for part in anew if part.snippet == link], requester)

    async def _check_answers(self, link: str, parts: list[LecturePart], requester: Requester) -> None:
        found = await self._runs.recorded_for(link)
        if found is None:
            raise outdated_recording()
        for part in parts:
            posed = await self._posed(found[0], part, requester)
            if posed is None:
                raise no_answer("A question has no answer in its recording.")
            if not all(_is_answer(posed, answer) for answer, _ in part.tally):
                raise no_answer("A tally counts an answer that is not valid for its question.")

    async def _posed(self, recording: Recording, part: LecturePart, requester: Requester) -> Posed | None:
        if part.question is None:
            return None
        try:
            return await self._explainers.ask(recording.hash, recording.trace, part.question, requester.address)
        except NotExplained:
            message = "The questions of this lecture could not be checked, because this server is busy."
            raise Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"}) from None
        except Unreadable:
            raise outdated_recording() from None


def _is_answer(posed: Posed, answer: Answer) -> bool:
    """Whether a class can have given this answer to the question. If the answer is a name, it must be one of the choices."""
    return is_legal(posed.asked.legal, answer) and (answer.kind != "name" or answer.name in posed.names)


def checked(lecture: Lecture) -> Lecture:
    """A valid `lecture` with normalised title and author. Raises Problem (422) for an invalid lecture."""
    try:
        tidy = msgspec.convert(msgspec.to_builtins(lecture), Lecture)
        one_line = msgspec.structs.replace(tidy, title=" ".join(tidy.title.split()), author=" ".join(tidy.author.split()))
        check(one_line)
    except (msgspec.ValidationError, LectureError) as error:
        raise no_lecture(str(error)) from None
    return one_line


def no_lecture(why: str) -> Problem:
    """The body is not a valid lecture."""
    return Problem(422, "invalid", f"This is not a valid lecture: {why}"[:400], "See /openapi.json for valid requests.")


def no_answer(message: str) -> Problem:
    """A question or its counts do not match the recording."""
    return Problem(422, "no_answer", message, "Remove the question, or add it again at its step.")


def unknown_lecture() -> Problem:
    """The lecture never existed, or was deleted."""
    message = "This server has no lecture with this id; it may have been deleted."
    return Problem(404, "unknown_lecture", message, "Check the link, or choose one at /lectures.")


def unknown_part(number: int, what: str) -> Problem:
    """A part refers to a link or lesson that does not exist on this server."""
    return Problem(422, "unknown_part", f"Part {number} shows {what}.", "Remove this part, or share its code again.")


def document_of_lesson(name: str) -> str:
    """The URL of the document of a program of the course."""
    return f"{API}/lessons/{name}/document"


def shown_plan(plan: Plan) -> dict[str, Any]:
    """A lecture plan as it is sent to its readers."""
    content: dict[str, Any] = msgspec.to_builtins(plan)
    return {**content, "parts": [{**part, "document": document_of_lesson(part["lesson"])} for part in content["parts"]]}


def _shown(part: LecturePart, there: set[str]) -> ShownPart:
    if part.lesson is not None:
        document: str | None = document_of_lesson(part.lesson)
    else:
        document = f"{API}/snippets/{part.snippet}" if part.snippet in there else None
    return ShownPart(**{name: getattr(part, name) for name in part.__struct_fields__}, document=document)


def _links(parts: Sequence[LecturePart]) -> Iterator[str]:
    return (part.snippet for part in parts if part.snippet is not None)


def _facts(part: LecturePart) -> bytes:
    """Encode the fields of a part that are checked against its recording, so that two parts can be compared."""
    return msgspec.json.encode((part.snippet, part.question, part.tally))


def _written(lecture: Lecture) -> Written:
    return Written(title=lecture.title, author=lecture.author, parts=msgspec.json.encode(lecture.parts).decode())


def _lecture_of(kept: KeptLecture) -> Lecture:
    return Lecture(title=kept.title, author=kept.author, parts=msgspec.json.decode(kept.parts, type=list[LecturePart]))
