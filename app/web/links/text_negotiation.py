"""Negotiation of plain text instead of a page or JSON, and the text response.

This module does not use Werkzeug's parser of Accept headers, which blocks the event loop for 160 ms at a header of 64 KiB. The
parser here reads only the first 50 offers.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

from app.web.runs.documents import packed_if_accepted

TEXT: Final = "text/plain"
MOST_OFFERS: Final = 50
MOST_PARAMETERS: Final = 8


def prefers_text(headers: Headers, default: str) -> bool:
    """Whether the Accept header gives plain text more weight than the media type `default`.

    If both have the same weight, `default` wins, because browsers, programs and bots often send only `*/*`.
    """
    accepted = headers.get("accept", "")
    return _weight(accepted, TEXT) > _weight(accepted, default)


def _weight(accepted: str, media_type: str) -> float:
    """The weight q of a media type in an Accept header, from the most specific matching range (RFC 9110, 12.5.1)."""
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    best, weight = len(ranges), 0.0
    for offer in accepted.split(",", MOST_OFFERS)[:MOST_OFFERS]:
        named, *parameters = (part.strip().lower() for part in offer.split(";", MOST_PARAMETERS))
        if named in ranges[:best]:
            best, weight = ranges.index(named), _q(parameters)
    return weight


def _q(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0


async def text_response(text: str, language: str, headers: Headers) -> Response:
    """The response with `text` in `language`, compressed if the client accepts compression."""
    sent = {
        "Cache-Control": "no-store",
        "Content-Language": language,
        "Vary": "Accept, Accept-Encoding, Accept-Language",
        "X-Robots-Tag": "noindex",  # a link is only for the people who received it
    }
    content = await packed_if_accepted(text.encode(errors="backslashreplace"), headers, sent)
    return Response(content, headers=sent, media_type=TEXT)  # Starlette adds charset=utf-8
