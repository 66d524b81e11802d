"""Strict decoding of untrusted JSON with a bounded size, in linear time, with one type of exception."""

import json
import math
import re
from itertools import islice
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")

MANY_LARGE_EXPONENTS: Final = 1000
_LARGE_EXPONENT = re.compile(rb"[eE][+-]?0*[0-9]{3}")
_LONE = re.compile(r"\\u[dD][89a-fA-F]")
"""Matches the escape of a surrogate, single or in a pair. Stepgrad's own encoders write no such escapes."""


class TraceDecodeError(ValueError):
    """Raised if bytes are invalid. The message is one sentence with the error and its position."""


def decode(decoder: msgspec.json.Decoder[T], what: str, payload: bytes, max_bytes: int) -> T:
    """Decode `payload`. `what` is the name of the payload in error messages. Raises no exception other than TraceDecodeError,
    for any bytes."""
    if len(payload) > max_bytes:
        raise TraceDecodeError(f"{what}: {len(payload)} bytes, but at most {max_bytes} are read")
    try:
        return _with_large_exponents(decoder, payload) if _has_large_exponents(payload) else decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceDecodeError(f"{what}: {error}") from error
    except RecursionError as error:  # msgspec parses an unknown field before refusing it
        raise TraceDecodeError(f"{what}: nested too deeply") from error


def _has_large_exponents(payload: bytes) -> bool:
    """Whether the payload has many numbers that msgspec parses slowly.

    msgspec 0.22 needs 8 µs for a number like 1e300 or 1e-310: a third of a second for a forged chunk of such numbers.
    """
    return next(islice(_LARGE_EXPONENT.finditer(payload), MANY_LARGE_EXPONENTS, None), None) is not None


def _with_large_exponents(decoder: msgspec.json.Decoder[T], payload: bytes) -> T:
    """Decode with Python's own JSON parser, which is fast for numbers with large exponents, and apply the same checks as
    msgspec."""
    text = payload.decode()
    if _LONE.search(text):
        raise msgspec.DecodeError("Invalid surrogate in a string")
    try:
        return msgspec.convert(json.loads(text, parse_float=_finite, parse_constant=_finite), decoder.type)
    except msgspec.DecodeError:
        raise
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise msgspec.DecodeError(f"Number out of range: {text[:40]}")
    return number
