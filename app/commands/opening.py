"""The command `open`, which decodes an untrusted saved recording strictly and serves the recording on this machine only."""

import asyncio
import socket
from pathlib import Path
from typing import Final

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.errors import FINISHED, MISUSED, CommandError
from app.explain import explain
from app.standalone import standalone
from app.trace.check import TraceInvalid, check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace
from app.trace.decoding import TraceDecodeError
from app.trace.records import FORMAT
from app.trace.stored import MAX_TRACE_BYTES
from app.words.printable import printable

MOST_BYTES: Final = 2 * MAX_TRACE_BYTES
"""Maximum bytes of a file. A document has findings in addition to its trace."""

HEADERS: Final = {
    "Content-Security-Policy": "frame-ancestors 'none'",  # the HTML file contains its own policy for everything else
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _Saved(msgspec.Struct):
    """The format of a document that `stepgrad trace -o` wrote.

    The stored findings are untrusted, so the command computes the findings again.
    """

    trace: msgspec.Raw


class _Header(msgspec.Struct):
    format: int


class _Headed(msgspec.Struct):
    header: _Header


def open_recording(path: Path, port: int, language: str) -> int:
    """Serve the recording until stopped. Raises CommandError if the file is not a recording, or the port is unavailable."""
    trace = read_recording(path)
    page = standalone(msgspec.json.encode(explain(trace)), path.name, language)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError as error:
            raise CommandError(f"Cannot listen on port {port} ({error.strerror}); choose another port with --port.") from None
        print(f"{printable(path.name)} is at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        _serve(page, listener)
    return FINISHED


def read_recording(path: Path) -> Trace:
    """The trace of a file that `stepgrad trace -o` or `Recorded.save` wrote. Raises CommandError for any other file."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", MISUSED) from None
    if len(content) > MOST_BYTES:
        raise CommandError(f"{path} has more than {MOST_BYTES} bytes.", MISUSED)
    try:
        payload = _trace_in(content)
        recorded = msgspec.json.decode(payload, type=_Headed).header.format
        if recorded != FORMAT:
            raise CommandError(f"{path} was recorded in format {recorded}, but this version reads format {FORMAT}.", MISUSED)
        trace = decode_trace(payload)
        check(trace)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CommandError(f"{path} is not a recording: {error}.", MISUSED) from None
    except (TraceDecodeError, TraceInvalid) as error:
        raise CommandError(f"{path} is not a valid recording: {error}.", MISUSED) from None
    return trace


def _trace_in(content: bytes) -> bytes:
    """Return the encoded trace that a document contains; `content` itself if it is not a document."""
    try:
        return bytes(msgspec.json.decode(content, type=_Saved).trace)
    except msgspec.ValidationError:
        return content


def _serve(page: bytes, listener: socket.socket) -> None:
    """Serve the page under loopback names only, to prevent DNS rebinding."""

    async def answer(_: Request) -> Response:
        return Response(page, media_type="text/html", headers=HEADERS)

    served = Starlette(routes=[Route("/", answer)])
    served.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    server = uvicorn.Server(uvicorn.Config(served, log_config=None, access_log=False, server_header=False, lifespan="off"))
    try:
        asyncio.run(server.serve(sockets=[listener]))
    except KeyboardInterrupt:
        pass  # ended by SIGINT
