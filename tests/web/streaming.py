"""Read a stream of server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

import httpx

EVENTS = {"Accept": "text/event-stream"}


def events(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """Yield the name and the data of each event as soon as it arrives."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
