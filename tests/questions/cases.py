"""Test cases for Python and JavaScript: recordings, with the page's questions about each step.

`python -m tests.questions.cases` makes these recordings again.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from app.questions.asked import Asked, Question
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from app.trace.records import Tick
from tests.questions.page import questions_between, truth_of

FOLDER = Path(__file__).parent / "cases"
LAST = Tick(2**53 - 1)
"""The tick of the state after the last step."""


def case(name: str) -> tuple[Trace, list[dict[str, Any]]]:
    """Return a recording, and the questions for each of its steps."""
    read = json.loads((FOLDER / f"{name}.json").read_text())
    return decode_trace(json.dumps(read["trace"]).encode()), read["between"]


def stale_case(name: str) -> list[tuple[Question, Asked | None]]:
    """Return the stored result of `stale` for a recording."""
    return msgspec.convert(json.loads((FOLDER / f"{name}.json").read_text())["stale"], list[tuple[Question, Asked | None]])


def told(trace: Trace) -> list[dict[str, Any]]:
    """Return the page's questions about each step, when stepping by line and by Node."""
    steps = windows(trace)
    found = json.loads(msgspec.json.encode(questions_between(trace, steps)))
    return [{"after": after, "until": until, "asked": asked} for (after, until), asked in zip(steps, found, strict=True)]


def stale(trace: Trace) -> list[Any]:
    """For each saved tensor and each step, return whether the saved tensor becomes stale in this step."""
    questions = [
        Question(kind="stale_by", after=after, until=until, saved=saved.id)
        for saved in trace.saved_tensors
        for after, until in windows(trace)
    ]
    told: list[Any] = json.loads(msgspec.json.encode(list(zip(questions, truth_of(trace, questions), strict=True))))
    return told


def windows(trace: Trace) -> list[tuple[int, int]]:
    """Return the first and last tick (after, until) of each step, by line and by Node, without duplicates."""
    found: dict[tuple[int, int], None] = {}
    for kinds in ({"statement"}, {"statement", "node"}):
        ends = sorted({step.ended for step in trace.steps if step.kind in kinds and step.ended is not None})
        found |= dict.fromkeys(pairwise([*ends[:-1], LAST]))
    return list(found)


def main() -> None:
    """Record the snippets again."""
    from tests.questions.programs import PROGRAMS
    from tests.recordings import folded, worker

    FOLDER.mkdir(exist_ok=True)
    for name, source in PROGRAMS.items():
        trace = folded(source, worker("recorded").answer(source).encode().splitlines())
        kept = {"trace": json.loads(encode_trace(trace)), "between": told(trace), "stale": stale(trace)}
        (FOLDER / f"{name}.json").write_text(json.dumps(kept, separators=(",", ":")).replace('{"after"', '\n{"after"') + "\n")


if __name__ == "__main__":
    main()
