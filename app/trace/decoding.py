"""Strict decoding of JSON from anyone: its size is bounded, its time is linear, and it raises one error."""

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
"""The escape of half a surrogate pair. No encoder of ours writes one, whole pairs included."""


class TraceDecodeError(ValueError):
    """The bytes are invalid. The text is one sentence: the error and its position."""


def decode(decoder: msgspec.json.Decoder[T], what: str, payload: bytes, max_bytes: int) -> T:
    """Decode `payload`, which errors call `what`. Raises TraceDecodeError, and no other exception, for any bytes."""
    if len(payload) > max_bytes:
        raise TraceDecodeError(f"{what}: {len(payload)} bytes, but at most {max_bytes} are read")
    try:
        return _with_large_exponents(decoder, payload) if _has_large_exponents(payload) else decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceDecodeError(f"{what}: {error}") from error
    except RecursionError as error:  # msgspec skips a foreign field before it refuses it, however deep it nests
        raise TraceDecodeError(f"{what}: nested too deeply") from error


def _has_large_exponents(payload: bytes) -> bool:
    """Whether it would take msgspec long for its size: msgspec 0.22 needs 8 µs for a number like 1e300, or like 1e-310, which is a
    third of a second for a forged chunk full of them."""
    return next(islice(_LARGE_EXPONENT.finditer(payload), MANY_LARGE_EXPONENTS, None), None) is not None


def _with_large_exponents(decoder: msgspec.json.Decoder[T], payload: bytes) -> T:
    """The same by way of Python's own parser, which is no slower for such numbers, and as strict."""
    text = payload.decode()
    if _LONE.search(text):
        raise msgspec.DecodeError("Invalid surrogate in a text")
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
