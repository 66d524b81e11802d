"""Where the API stands in every address of this server."""

from typing import Final

API: Final = "/api/v1"
