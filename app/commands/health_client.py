"""Asks a running server to run a snippet, for a container's health check or a monitoring timer."""

import json
from http.client import HTTPConnection, HTTPException
from typing import Any, Final

from app.errors import CommandError
from app.web.edge.prefix import API

SECONDS: Final = 50.0
"""Timeout of the request, longer than the timeout of the deep check."""

ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The local address of a server that listens on all addresses."""


def check(host: str, port: int) -> str:
    """The health report of the server at `host` and `port` after it has run a snippet. Raises CommandError if the run fails."""
    host = ANYWHERE.get(host, host)
    where = f"{f'[{host}]' if ':' in host else host}:{port}"
    connection = HTTPConnection(host, port, timeout=SECONDS)  # urllib would use a proxy from the environment
    try:
        connection.request("GET", f"{API}/health/deep")
        answer = connection.getresponse()
        health: dict[str, Any] = json.loads(answer.read())
        if answer.status == 200:
            runs = f"Stepgrad {health['stepgrad']} at {where} runs snippets: tier {health['tier']}, {health['running']} active."
            return f"{runs} {health.get('notice', '')}".rstrip()
        why = health["refusal"] if "refusal" in health else f"{health['message']} {health['hint']}"
        does = "does not report its health to this machine" if answer.status == 403 else "does not run snippets"
    except TimeoutError:
        raise CommandError(f"The server at {where} did not respond within {SECONDS:g} s.") from None
    except (OSError, HTTPException, ValueError, LookupError, TypeError) as error:
        raise CommandError(f"No Stepgrad server responds at {where} ({error}).") from None
    finally:
        connection.close()
    raise CommandError(f"The server at {where} {does}: {why}")
