"""Run commands of `stepgrad` in the test process. All commands share one sandbox with a warm zygote."""

import asyncio
import atexit
import contextlib
import io
import os
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from app.commands import checking, cli
from app.commands.snippet_files import own_sandbox
from app.sandbox import Run
from app.trace.records import Limits, Request
from tests import limits
from tests.sandbox.processes import PATIENCE


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class _Shared:
    """A sandbox on an event loop in another thread, because each command starts its own event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="shared-sandbox", daemon=True).start()
        self._context = own_sandbox(Limits(wall_seconds=PATIENCE))
        with limits.starting():
            self._sandbox = asyncio.run_coroutine_threadsafe(self._context.__aenter__(), self._loop).result(PATIENCE)
        atexit.register(self._close)

    async def run(self, request: Request, **options: Any) -> Run:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._sandbox.run(request, **options), self._loop))

    def _close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._context.__aexit__(None, None, None), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)


_shared = cache(_Shared)


@asynccontextmanager
async def _sandbox(_: Limits) -> AsyncIterator[_Shared]:
    yield _shared()


def _refuse(**_: object) -> None:
    raise AssertionError("a server or a worker needs a separate process")


def stepgrad(
    *arguments: str, stdin: str = "", folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> Ended:
    """Run a command in the shared sandbox, and return its exit status and output."""
    out, told, given = (io.TextIOWrapper(io.BytesIO(content), "utf-8") for content in (b"", b"", stdin.encode()))
    with contextlib.ExitStack() as stack:
        for module in (cli, checking):
            stack.enter_context(patch.object(module, "own_sandbox", _sandbox))
        stack.enter_context(patch.object(cli, "give_up_root", _refuse))
        stack.enter_context(patch.dict(os.environ, {"STEPGRAD_LIMITS__WALL_SECONDS": str(PATIENCE), **(environment or {})}))
        stack.enter_context(patch.object(sys, "stdin", given))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(told))
        if folder is not None:
            stack.enter_context(contextlib.chdir(folder))
        try:
            code: int | str | None = cli.main(list(arguments))
        except SystemExit as left:  # argparse exits if the command line is wrong
            code = left.code
        out.flush()
        told.flush()
    assert isinstance(code, int)
    return Ended(code, *(stream.buffer.getvalue().decode() for stream in (out, told)))
