"""Serves the page: the listening socket, uvicorn, the start-up line, and the log."""

import asyncio
import contextlib
import logging
import os
import resource
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any, Final, cast

import structlog
import uvicorn
from starlette.applications import Starlette

from app.compose.main import application
from app.compose.settings import Settings, unknown_variables
from app.errors import FAILED, FINISHED, CommandError
from app.explainers import ExplainerDied
from app.sandbox import SandboxError
from app.store import StoreError
from app.web.edge.connections import Connections
from app.web.edge.http import BoundedHttp

OTHER_FILES: Final = 400
"""Descriptors reserved for runs, the store and connections that are about to be refused."""

FEWEST_CONNECTIONS: Final = 50
"""Minimum number of connections, enough for a few browsers. The server does not start with fewer connections."""

ENDING_SECONDS: Final = 10.0
"""Timeout for the responses of cancelled runs, which normally end immediately."""

TAKING_SECONDS: Final = 3
"""Timeout for cancelled requests to respond, and for clients to read the last responses."""

LOOK_SECONDS: Final = 0.1
"""Interval of checks for a second signal."""


def serve(settings: Settings) -> int:
    """Serve until stopped; return the exit code. Raises CommandError if the server cannot start."""
    log_to_stderr()
    log_unknown_variables()
    _check_threads()
    with listen(settings.host, settings.port) as listener:
        most = _connections(settings.connections)
        bounds: Connections[BoundedHttp] = Connections(most, settings.idle_connections_of_one_address, settings.proxies)
        timeouts = StopTimeouts(settings.notice_seconds, settings.drain_seconds)
        http = cast(type[asyncio.Protocol], partial(BoundedHttp, bounds))
        return Server(application(settings), listener, timeouts, "Stepgrad is at", http=http).serve_until_stopped()


@dataclass(frozen=True)
class StopTimeouts:
    """Timeouts of a graceful stop."""

    notice_seconds: float
    """How long the server continues after the signal, while its health check fails."""
    drain_seconds: float
    """How long requests and runs may then take to finish."""


class Server(uvicorn.Server):
    """A uvicorn server on a socket that is already open. The server prints a line after its start, and raises the reason if the
    start fails.

    `options` are passed to uvicorn. `app.asgi` defines the state of `app`.

    After SIGTERM or SIGINT the health check fails for the notice period. Then the server refuses new requests, waits for active
    requests, and cancels slow requests with a response. On a second signal, or on a signal during the start, the server stops
    immediately.
    """

    def __init__(self, app: Starlette, listener: socket.socket, timeouts: StopTimeouts, line: str, **options: Any) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=TAKING_SECONDS,
            **options,
        )
        super().__init__(config)
        self._app = app
        self._line = line
        self._listener = listener
        self._timeouts = timeouts
        self._stop_signal: int | None = None
        """The last stop signal that arrived; None before the first."""

    def serve_until_stopped(self) -> int:
        """Serve until stopped; return the exit code. Raises the error of a failed start, or KeyboardInterrupt."""
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            self.run(sockets=[self._listener])
        failed = self._app.state.failed
        if isinstance(failed, asyncio.CancelledError) and self._stop_signal is not None:
            signal.raise_signal(self._stop_signal)
        if isinstance(failed, StoreError):
            raise CommandError(failed.for_operators()) from failed
        if isinstance(failed, SandboxError | ExplainerDied):
            raise CommandError(str(failed)) from failed
        if failed is not None:
            raise failed
        return FINISHED if self.started else FAILED

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self._listener.getsockname()[:2]
            scheme = "https" if self.config.is_ssl else "http"
            print_line(f"{self._line} {scheme}://{f'[{host}]' if ':' in host else host}:{port}")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal cancels the start or begins a graceful stop. The next signal ends the server immediately."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)
        self._stop_signal = sig
        starting: asyncio.Task[None] | None = self._app.state.starting
        if starting is not None:
            starting.get_loop().call_soon_threadsafe(starting.cancel)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop gracefully: first end the requests and runs, and close the store last."""
        self._app.state.is_leaving = True
        await self._give_notice()
        self._app.state.is_stopping = True
        await self._app.state.services.leave()
        under_way = await self._unfinished(set(self.server_state.tasks), self._timeouts.drain_seconds)
        self._app.state.services.end_all()
        under_way = await self._unfinished(under_way, ENDING_SECONDS)
        for task in under_way:
            task.cancel()
        await self._unfinished(under_way, TAKING_SECONDS)
        await super().shutdown(sockets)

    async def _give_notice(self) -> None:
        """Continue to serve for the notice period, or until a second signal."""
        deadline = time.monotonic() + self._timeouts.notice_seconds
        while not self.force_exit and (left := deadline - time.monotonic()) > 0:  # noqa: ASYNC110 - a signal sets it
            await asyncio.sleep(min(left, LOOK_SECONDS))

    async def _unfinished(self, tasks: set[asyncio.Task[None]], seconds: float) -> set[asyncio.Task[None]]:
        """Wait for tasks, at most `seconds` or until a second signal; return the unfinished tasks."""
        deadline = time.monotonic() + seconds
        while tasks and not self.force_exit and (left := deadline - time.monotonic()) > 0:
            _, tasks = await asyncio.wait(tasks, timeout=min(left, LOOK_SECONDS))
        return tasks


def _connections(wanted: int) -> int:
    """The limit of connections: `wanted`, or a smaller number, with a log entry, if the limit of open files is too low.

    Raises CommandError if fewer than `FEWEST_CONNECTIONS` remain.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY or wanted <= files - OTHER_FILES:
        return wanted
    possible = files - OTHER_FILES
    if possible < FEWEST_CONNECTIONS:
        raise CommandError(
            f"The limit of {files} open files is too low: raise the limit (ulimit -n, systemd's LimitNOFILE) "
            f"to {OTHER_FILES + wanted}."
        )
    structlog.get_logger().warning("fewer connections", wanted=wanted, possible=possible, open_files=files)
    return possible


def print_line(line: str) -> None:
    """Print `line`. A closed stdout is not an error."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python's flush at exit fails too


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at `host` and `port`. Port 0 chooses a free port. Raises CommandError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except (OSError, TypeError) as error:  # TypeError for an invalid host name
        listener.close()
        hint = "choose another port with --port" if port else "choose another address with --host"
        why = error.strerror if isinstance(error, OSError) else "invalid host name"
        raise CommandError(f"Cannot listen on port {port} of {host} ({why}); {hint}.") from None
    return listener


def _check_threads() -> None:
    """Raise CommandError if no thread can be started, before the store's thread fails with a traceback."""
    try:
        threading.Thread(target=int).start()
    except RuntimeError as error:
        raise CommandError(
            f"No thread can be started here ({error}): raise the limit of processes (ulimit -u, systemd's TasksMax, Docker's "
            "--pids-limit), or, if a seccomp profile refuses clone3 with an error other than ENOSYS, use seccomp.json."
        ) from None


def log_unknown_variables() -> None:
    """Log a warning for each environment variable that has the prefix of the settings but is not a setting."""
    for sentence in unknown_variables(os.environ):
        structlog.get_logger().warning("unknown variable", told=sentence)


def log_to_stderr() -> None:
    """Log one JSON object per line."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # CommandError already reports a failed start
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
