"""Links as plain text, for terminals, bots and screen readers; an explainer process makes the text, and a cache keeps it."""

from collections import OrderedDict
from typing import Final

from app.explainers import Explainers, Explanation, NotExplained, Unreadable
from app.store import Recording, Snippet
from app.web.edge.clients import too_often
from app.web.edge.errors import Problem, outdated_recording
from app.web.edge.rates import NetworkRates
from app.web.links.legible import legible
from app.web.runs.documents import run_in_thread
from app.web.runs.explanations import Explanations
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight
from app.words import sentence

MOST_TRACE_BYTES: Final = 8 << 20
"""Larger recordings get no text: it would use too much memory and be too long to read."""

MOST_WAITING: Final = 8
"""Maximum number of texts in progress or waiting."""

MOST_CHARACTERS: Final = 8_000_000
"""Size of the cache in characters; the least recently used text is dropped."""

AROUND_A_TEXT: Final = 300
"""Fixed cost of a cached text in characters, so that short ones are limited, too."""

LONG_TEXT: Final = 20_000
"""Number of characters from which texts are escaped in a thread: 5 ms, measured, without ASCII."""

Key = tuple[str, str]
"""The hash of a recording, and the language."""


class Texts:
    """Texts of links, by recording and language. Concurrent requests share one."""

    def __init__(self, runs: Runs, explanations: Explanations, explainers: Explainers, rates: NetworkRates) -> None:
        self._runs = runs
        self._explanations = explanations
        self._explainers = explainers
        self._rates = rates
        self._making: SingleFlight[str] = SingleFlight()
        self._waiting = 0
        self._kept: OrderedDict[Key, str] = OrderedDict()
        self._characters = 0

    async def of_link(self, snippet_id: str, language: str, address: str) -> str:
        """The text of a link in escaped lines, without a run. Raises Problem (404, 409, 410, 413, 429, 503)."""
        snippet = await self._runs.kept(snippet_id)
        return "".join(f"{line}\n" for line in (*_heading(snippet, language), await self._text(snippet, language, address)))

    def forget(self, recording: str) -> None:
        """Drop the texts of a recording: a link to it was deleted."""
        for key in [key for key in self._kept if key[0] == recording]:
            self._drop(key)

    async def _text(self, snippet: Snippet, language: str, address: str) -> str:
        key = (snippet.recording, language)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        if not self._making.is_working(key):
            if (seconds := self._rates.take(address)) > 0:
                raise too_often(int(seconds) + 1)
            if self._waiting >= MOST_WAITING:
                raise _busy()
        return await self._making.result(key, lambda: self._made(snippet, language, address))

    async def _made(self, snippet: Snippet, language: str, address: str) -> str:
        self._waiting += 1
        try:
            recording, explanation = await self._explained(snippet, address)
            raw = await self._explainers.transcribe(recording.hash, recording.trace, explanation, language, address)
        except NotExplained:
            raise _busy() from None
        except Unreadable:
            raise outdated_recording() from None
        finally:
            self._waiting -= 1
        # A forged recording may control the explainer that reads it, so its text is escaped here.
        text = await run_in_thread(len(raw) > LONG_TEXT, lambda: "\n".join(map(legible, raw.split("\n"))))
        if not explanation.was_cut:
            self._keep((recording.hash, language), text)
        return text

    async def _explained(self, snippet: Snippet, address: str) -> tuple[Recording, Explanation]:
        explanation = await self._explanations.kept(snippet.recording)
        if explanation is not None:
            _check_size(explanation.trace_bytes)
        found = await self._runs.recorded_for(snippet.id)
        if found is None:
            raise outdated_recording()
        recording, _ = found
        _check_size(len(recording.trace))
        return recording, explanation or await self._explanations.of(recording, address)

    def _keep(self, key: Key, text: str) -> None:
        if key in self._kept:
            self._drop(key)
        self._kept[key] = text
        self._characters += len(text) + AROUND_A_TEXT
        while self._characters > MOST_CHARACTERS:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        self._characters -= len(self._kept.pop(key)) + AROUND_A_TEXT


def _heading(snippet: Snippet, language: str) -> list[str]:
    """The sharer's title, marked as such; empty if there is none."""
    title, author = legible(snippet.title), legible(snippet.author)
    said = [sentence(language, "transcript-shared", title=title)] if title else []
    said += [sentence(language, "shared-author", author=author)] if author else []
    return [*said, ""] if said else []


def _check_size(trace_bytes: int) -> None:
    if trace_bytes > MOST_TRACE_BYTES:
        message = f"This recording has {trace_bytes} bytes, and at most {MOST_TRACE_BYTES} are told as text here."
        raise Problem(413, "too_large_for_text", message, "Tell it with `stepgrad trace FILE --text`.")


def _busy() -> Problem:
    message = "This text could not be made: this server is busy with others."
    return Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"})
