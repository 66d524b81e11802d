"""The path prefix of all routes of the HTTP API."""

from typing import Final

API: Final = "/api/v1"
