"""Encodes and decodes Requests."""

from typing import Final

import msgspec

from app.trace.decoding import decode
from app.trace.records import Request

MAX_REQUEST_BYTES: Final = 8 << 20

_REQUEST = msgspec.json.Decoder(Request)


def encode_request(request: Request) -> bytes:
    """Encode a Request as JSON."""
    return msgspec.json.encode(request)


def decode_request(payload: bytes) -> Request:
    """Decode a Request. Raises TraceDecodeError."""
    return decode(_REQUEST, "request", payload, MAX_REQUEST_BYTES)
