"""The path prefix of the API."""

from typing import Final

API: Final = "/api/v1"
