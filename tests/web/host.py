"""Run several servers with different settings in one process, with one sandbox: `python -m tests.web.host`.

`stepgrad serve` starts a zygote, whose import of torch takes 10 s of processor time (measured on 2026-11-29, two cores). A
server in this process starts in 0.9 s. Such a server has the same socket, application and store as `stepgrad serve`.
"""

import asyncio
import os
import sys
import threading
from functools import partial
from typing import Any, Self, cast
from unittest.mock import patch

import msgspec
import uvloop

from app.commands.serving import Server, StopTimeouts, listen, log_to_stderr
from app.compose import local_pool as pool
from app.compose.main import application
from app.compose.settings import Settings
from app.sandbox import Sandbox, SandboxSettings
from app.sandbox.inside.layers import Layer
from app.sandbox.tiers import start
from app.web.edge.connections import Connections
from app.web.edge.http import BoundedHttp


class Command(msgspec.Struct, frozen=True):
    """A command from the tests: a line with a JSON object."""

    open: dict[str, str] | None = None
    """Start a server with these environment variables. The answer is its address."""
    close: int = 0
    """Stop the server on this port. The answer is an empty line."""


class Shared:
    """A sandbox that stays open when one of its servers stops."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.refusal: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class Host:
    """The running servers. Their event loop runs outside the main thread, so they handle no signals."""

    def __init__(self) -> None:
        self._loop = uvloop.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._servers: dict[int, tuple[Server, asyncio.Task[None]]] = {}
        self._sandbox, self._reasons = self._await(start(SandboxSettings()))

    def serve(self) -> None:
        """Read commands from stdin, one JSON object per line, and execute them."""
        with patch.object(pool, "start", self._start):
            for line in sys.stdin:
                command = msgspec.json.decode(line, type=Command)
                if command.open is not None:
                    self._await(self._open(command.open))
                else:
                    self._await(self._close(command.close))
                    print(flush=True)
        for port in list(self._servers):
            self._await(self._close(port))
        self._await(self._sandbox.close())

    def _await(self, task: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(task, self._loop).result()

    async def _start(self, settings: SandboxSettings) -> tuple[Shared, dict[Layer, str]]:
        assert (settings.packages, settings.gpus) == (self._sandbox.settings.packages, ())
        return Shared(self._sandbox), self._reasons

    async def _open(self, environment: dict[str, str]) -> None:
        with patch.dict(os.environ, environment):
            settings = Settings()
        listener = listen(settings.host, settings.port)
        bounds: Connections[BoundedHttp] = Connections(
            settings.connections, settings.idle_connections_of_one_address, settings.proxies
        )
        app = application(settings)
        timeouts = StopTimeouts(settings.notice_seconds, settings.drain_seconds)
        http = cast(type[asyncio.Protocol], partial(BoundedHttp, bounds))
        server = Server(app, listener, timeouts, "Stepgrad is at", http=http)
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
            if serving.done():
                raise RuntimeError("The server did not start.") from app.state.failed
        self._servers[listener.getsockname()[1]] = server, serving

    async def _close(self, port: int) -> None:
        server, serving = self._servers.pop(port)
        server.should_exit = True
        await serving


if __name__ == "__main__":
    log_to_stderr()
    Host().serve()
