"""Links as plain text, for terminals, bots and screen readers.

An explainer process makes the texts, and the server caches the texts.
"""

from typing import Final

from cachetools import LRUCache

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
"""Maximum bytes of a recording that gets a text. The text of a larger recording would use too much memory and be too long to
read."""

MOST_WAITING: Final = 8
"""Maximum number of texts in progress or waiting."""

MOST_CHARACTERS: Final = 8_000_000
"""Size of the cache in characters. The least recently used text is dropped."""

AROUND_A_TEXT: Final = 300
"""Characters added to the size of each cached text, so that the number of short texts is also limited."""

LONG_TEXT: Final = 20_000
"""Number of characters from which a thread escapes the text.

Escaping takes 5 ms at this size, measured on text outside of ASCII.
"""

Key = tuple[str, str]
"""The key of a text: the hash of the recording, and the language."""


class Texts:
    """Texts of links, by recording and language. Concurrent requests for a text share one task."""

    def __init__(self, runs: Runs, explanations: Explanations, explainers: Explainers, rates: NetworkRates) -> None:
        self._runs = runs
        self._explanations = explanations
        self._explainers = explainers
        self._rates = rates
        self._making: SingleFlight[str] = SingleFlight()
        self._waiting = 0
        self._kept: LRUCache[Key, str] = LRUCache(MOST_CHARACTERS, _size)

    async def of_link(self, snippet_id: str, language: str, address: str) -> str:
        """The text of a link in escaped lines, without a run. Raises Problem (404, 409, 410, 413, 429, 503)."""
        snippet = await self._runs.kept(snippet_id)
        return "".join(f"{line}\n" for line in (*_heading(snippet, language), await self._text(snippet, language, address)))

    def forget(self, recording: str) -> None:
        """Drop the texts of a recording, because a link to the recording was deleted."""
        for key in [key for key in self._kept if key[0] == recording]:
            del self._kept[key]

    async def _text(self, snippet: Snippet, language: str, address: str) -> str:
        key = (snippet.recording, language)
        known = self._kept.get(key)
        if known is not None:
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
        # A forged recording may control the explainer that reads it, so this method escapes the explainer's text.
        text = await run_in_thread(len(raw) > LONG_TEXT, lambda: "\n".join(map(legible, raw.split("\n"))))
        if not explanation.was_cut:
            self._kept[recording.hash, language] = text
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


def _size(text: str) -> int:
    return min(len(text) + AROUND_A_TEXT, MOST_CHARACTERS)


def _heading(snippet: Snippet, language: str) -> list[str]:
    """The line with the sharer's title, marked as the sharer's words; empty without a title."""
    title, author = legible(snippet.title), legible(snippet.author)
    said = [sentence(language, "transcript-shared", title=title)] if title else []
    said += [sentence(language, "shared-author", author=author)] if author else []
    return [*said, ""] if said else []


def _check_size(trace_bytes: int) -> None:
    if trace_bytes > MOST_TRACE_BYTES:
        message = f"This recording has {trace_bytes} bytes; the limit for text is {MOST_TRACE_BYTES}."
        raise Problem(413, "too_large_for_text", message, "Use `stepgrad trace FILE --text` on your own machine.")


def _busy() -> Problem:
    message = "The text could not be made, because this server is busy."
    return Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"})
