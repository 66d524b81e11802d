"""Decides whether an answer is legal, by the same rules as `static/js/run/questions/answers.js`.

The page also parses and judges answers.
"""

import math
import re

from app.questions.asked import NONE, Answer, Legal, Scalar

_LARGEST = 2**53
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
MOST_TYPED = 100
"""Maximum number of characters of an answer that is a typed name."""


def is_legal(legal: Legal, answer: Answer) -> bool:
    """Whether a vote may have this answer."""
    if answer.kind == "none":
        return legal.has_none and answer == NONE
    if answer.kind != legal.form:
        return False
    fields = {"storage", "cell"} if answer.kind == "cell" else {answer.kind}
    given = {name for name in Answer.__struct_fields__ if name != "kind" and getattr(answer, name) is not None}
    return given == fields and _is_there(legal, answer)


def _is_there(legal: Legal, answer: Answer) -> bool:
    """Whether the value of an answer is one of the legal values."""
    match answer.kind:
        case "number":
            return _is_of(answer.number, legal.dtype)
        case "version":
            return answer.version is not None and 0 <= answer.version <= _LARGEST
        case "counter":
            return answer.counter in (legal.counters or [])
        case "node":
            return answer.node in (legal.nodes or [])
        case "cell":
            counts = dict(legal.cells or [])
            return answer.cell is not None and answer.storage is not None and 0 <= answer.cell < counts.get(answer.storage, 0)
        case "line":
            return answer.line is not None and 1 <= answer.line <= legal.lines
        case "name":
            return answer.name is not None and 0 < len(answer.name) <= MOST_TYPED
        case _:
            return answer.whether is not None


def _is_of(number: Scalar | None, dtype: str) -> bool:
    """Whether a number is a possible element of a dtype, by the rules of the page's parser."""
    if dtype == "bool":
        return isinstance(number, bool)
    if isinstance(number, bool) or number is None or (isinstance(number, int) and abs(number) > _LARGEST):
        return False
    if isinstance(number, str):
        if "float" in dtype:
            return number in ("nan", "inf", "-inf")
        return _INTEGER.fullmatch(number) is not None and str(int(number)) == number and abs(int(number)) > _LARGEST
    if "float" in dtype:
        return math.isfinite(number)
    return float(number).is_integer() and abs(number) <= _LARGEST
