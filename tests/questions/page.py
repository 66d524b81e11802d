"""Call the page's JavaScript functions about questions with Node.js."""

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from app.questions.asked import Asked, Question
from app.trace.chunks import Trace
from app.trace.codec import encode_trace

SCRIPT = Path(__file__).parents[1] / "js/asking.mjs"


def questions_between(trace: Trace, windows: list[tuple[int, int]]) -> list[list[Asked]]:
    """Return the questions that the page offers about each step, given as (after, until)."""
    return msgspec.convert(_said("between", trace=json.loads(encode_trace(trace)), windows=windows), list[list[Asked]])


def truth_of(trace: Trace, questions: list[Question]) -> list[Asked | None]:
    """Return each question with the answers that the page considers correct."""
    said = _said("truth", trace=json.loads(encode_trace(trace)), questions=msgspec.to_builtins(questions))
    return msgspec.convert(said, list[Asked | None])


def are_right(typed: list[tuple[Asked, str]]) -> list[bool]:
    """For each typed text, return whether the page accepts it as the correct answer."""
    found: list[bool] = _said("judged", typed=msgspec.to_builtins(typed))
    return found


def tolerances() -> dict[str, tuple[float, float]]:
    """Return the relative and the absolute tolerance for numbers of each dtype."""
    return {dtype: (relative, absolute) for dtype, (relative, absolute) in _said("tolerances").items()}


def why(trace: Trace, name: str, kind: str = "tensor", choices: tuple[tuple[int, int], ...] = ()) -> Any:
    """Return the page's explanation of a tensor's value at the end of the run."""
    return _said("why", trace=json.loads(encode_trace(trace)), named=name, kind=kind, choices=choices)


def with_formula(names: list[str]) -> list[str]:
    """Return the names of the Nodes for which the page has formulas, without "Backward0"."""
    found: list[str] = _said("known", names=names)
    return found


def _said(name: str, **given: Any) -> Any:
    asked = json.dumps({"name": name, **given})
    return json.loads(subprocess.run(["node", str(SCRIPT)], input=asked, capture_output=True, text=True, check=True).stdout)
