"""The page's own code for questions, run by Node.js."""

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
    """The questions that the page asks about the run between each two ticks."""
    return msgspec.convert(_said("between", trace=json.loads(encode_trace(trace)), windows=windows), list[list[Asked]])


def truth_of(trace: Trace, questions: list[Question]) -> list[Asked | None]:
    """Each question with the answer that the page finds."""
    said = _said("truth", trace=json.loads(encode_trace(trace)), questions=msgspec.to_builtins(questions))
    return msgspec.convert(said, list[Asked | None])


def are_right(typed: list[tuple[Asked, str]]) -> list[bool]:
    """Whether the page accepts each typed text as a right answer to its question."""
    found: list[bool] = _said("judged", typed=msgspec.to_builtins(typed))
    return found


def tolerances() -> dict[str, tuple[float, float]]:
    """How far from the truth a number may be, relative and absolute, by dtype."""
    return {dtype: (relative, absolute) for dtype, (relative, absolute) in _said("tolerances").items()}


def why(trace: Trace, name: str, kind: str = "tensor", choices: tuple[tuple[int, int], ...] = ()) -> Any:
    """Why the tensor of that name is what it is at the end of the run, as the page explains it."""
    return _said("why", trace=json.loads(encode_trace(trace)), named=name, kind=kind, choices=choices)


def with_formula(names: list[str]) -> list[str]:
    """Those of the Nodes, each without "Backward0", for which the page has formulas."""
    found: list[str] = _said("known", names=names)
    return found


def _said(name: str, **given: Any) -> Any:
    asked = json.dumps({"name": name, **given})
    return json.loads(subprocess.run(["node", str(SCRIPT)], input=asked, capture_output=True, text=True, check=True).stdout)
