"""Files for crawlers and security researchers: robots.txt, and security.txt if a contact is set."""

from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from app.web.edge.errors import Problem
from app.web.services import services_of
from app.words import LANGUAGES

ROBOTS: Final = """User-agent: *
Disallow: /api/
Disallow: /s/
Disallow: /l/
"""
"""Crawlers may index pages, but not links and the API."""

HOLDS: Final = timedelta(days=180)
"""Validity of security.txt: RFC 9116 recommends less than a year."""

router = APIRouter(include_in_schema=False)


@router.get("/robots.txt")
async def robots() -> Response:
    """The rules for crawlers."""
    return _text(ROBOTS)


@router.get("/.well-known/security.txt")
async def security(request: Request) -> Response:
    """The contact for security reports (RFC 9116). Raises Problem (404) if no contact is set."""
    contact = services_of(request).contact
    if not contact:
        raise Problem(404, "not_found", "There is no such file.", "The operator of this server has not set a contact.")
    expires = (datetime.now(UTC) + HOLDS).replace(hour=0, minute=0, second=0, microsecond=0)
    languages = ", ".join(LANGUAGES)
    return _text(f"Contact: {contact}\nExpires: {expires:%Y-%m-%dT%H:%M:%SZ}\nPreferred-Languages: {languages}\n")


def _text(content: str) -> Response:
    return Response(content, headers={"Cache-Control": "public, max-age=86400"}, media_type="text/plain")
