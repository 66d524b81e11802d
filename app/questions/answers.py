"""Whether an answer is legal, and whether it is right; and what a typed text answers. As `static/js/run/questions/answers.js`.

A float is right within the tolerance of `torch.testing.assert_close` for its dtype, or when it is what the picture shows of it.
"""

import math
import re
from decimal import ROUND_HALF_UP, Decimal

import msgspec

from app.questions.asked import NONE, Answer, Asked, Legal, Scalar
from app.trace.records import StorageId

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}
"""Relative and absolute, by dtype; other dtypes have none: the tolerances of `torch.testing.assert_close`."""

_LARGEST = 2**53
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NOT_FINITE = {"nan": "nan", "inf": "inf", "infinity": "inf"}
_CELL = re.compile(r"s([0-9]{1,9})\[([0-9]{1,9})\]")
MOST_TYPED = 100
"""Characters of a typed answer."""


def parsed(legal: Legal, text: str) -> Answer | None:
    """The answer in a typed text; None if it is not legal."""
    typed = text.strip(" \t").lower()
    if len(text) > MOST_TYPED or typed == "":
        return None
    answer = NONE if typed == "none" else _parsed_as(legal, typed, text.strip(" \t"))
    return answer if answer is not None and is_legal(legal, answer) else None


def _parsed_as(legal: Legal, typed: str, text: str) -> Answer | None:
    if legal.form == "number":
        number = _number(typed, legal.dtype)
        return None if number is None else Answer(kind="number", number=number)
    if legal.form == "name":
        return Answer(kind="name", name=text)
    if legal.form == "cell":
        match = _CELL.fullmatch(typed)
        return None if match is None else Answer(kind="cell", storage=StorageId(int(match[1])), cell=int(match[2]))
    if legal.form == "whether":
        return {"yes": Answer(kind="whether", whether=True), "no": Answer(kind="whether", whether=False)}.get(typed)
    digits = typed.removeprefix({"version": "v", "line": "l"}.get(legal.form, ""))
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        return None
    return msgspec.convert({"kind": legal.form, legal.form: int(digits)}, Answer)


def _number(typed: str, dtype: str) -> Scalar | None:
    if dtype == "bool":
        return {"true": True, "1": True, "false": False, "0": False}.get(typed)
    if "float" in dtype:
        bare = typed.lstrip("+-")
        if bare in _NOT_FINITE and len(typed) - len(bare) <= 1:
            word = _NOT_FINITE[bare]
            return f"-{word}" if typed.startswith("-") and word == "inf" else word
        value = float(typed) if _NUMBER.fullmatch(typed) else None
        return None if value is None or math.isinf(value) else value
    if _INTEGER.fullmatch(typed):
        whole = int(typed)
        return whole if abs(whole) <= _LARGEST else str(whole)
    value = float(typed) if _NUMBER.fullmatch(typed) else math.nan
    return int(value) if abs(value) <= _LARGEST and value.is_integer() else None


def is_legal(legal: Legal, answer: Answer) -> bool:
    """Whether a vote may be this answer."""
    if answer.kind == "none":
        return legal.has_none and answer == NONE
    if answer.kind != legal.form:
        return False
    fields = {"storage", "cell"} if answer.kind == "cell" else {answer.kind}
    given = {name for name in Answer.__struct_fields__ if name != "kind" and getattr(answer, name) is not None}
    return given == fields and _is_there(legal, answer)


def _is_there(legal: Legal, answer: Answer) -> bool:
    """Whether what the answer names can be answered."""
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
    """Whether it is an element of a dtype, as `parsed` writes one."""
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


def is_right(asked: Asked, answer: Answer) -> bool:
    """Whether an answer is right; one that is not legal is not."""
    return is_legal(asked.legal, answer) and any(_agrees(asked.legal, right, answer) for right in asked.right)


def _agrees(legal: Legal, right: Answer, answer: Answer) -> bool:
    if right.kind != answer.kind:
        return False
    if right.kind == "name":
        return str(right.name).lower() == str(answer.name).lower()
    if right.kind != "number":
        return right == answer
    return _is_close(right.number, answer.number, legal.dtype)


def _is_close(truth: Scalar | None, given: Scalar | None, dtype: str) -> bool:
    if isinstance(truth, bool | str) or isinstance(given, bool | str) or truth is None or given is None:
        return truth == given
    relative, absolute = TOLERANCES.get(dtype, (0.0, 0.0))
    if abs(given - truth) <= absolute + relative * abs(truth):
        return True
    return "float" in dtype and given == float(shown(float(truth)))


def shown(value: float) -> str:
    """A float as the picture shows it: at most four digits behind the point, or five in all."""
    if value.is_integer() and abs(value) < 1e7:
        return f"{int(value)}."
    size = abs(value)
    sign = "-" if value < 0 else ""
    if size >= 1e5 or 0 < size < 1e-3:
        return sign + _in_digits(size, 3)
    if size < 1:
        return sign + str(Decimal(size).quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return sign + _in_digits(size, 5)


def _in_digits(size: float, digits: int) -> str:
    """Round to this number of significant digits; a tie rounds up."""
    exact = Decimal(size)
    return str(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_UP))
