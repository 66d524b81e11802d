"""Functions that the ASGI applications of web and worker share: startup, shutdown, and detection of a disconnect."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from starlette.applications import Starlette
from starlette.types import Receive


class Stoppable(Protocol):
    """What a graceful stop needs of the services of an application."""

    async def leave(self) -> None:
        """End the streams that only listen for changes, because the server stops."""

    def end_all(self) -> None:
        """End the runs that are still active."""


def prepare(app: Starlette) -> None:
    """Set the state that `app.commands.serving` reads."""
    app.state.failed = None
    app.state.starting = None  # the task that a signal cancels during the start
    app.state.is_leaving = False
    app.state.is_stopping = False


@asynccontextmanager
async def living(app: Starlette, services: Callable[[], AbstractAsyncContextManager[Stoppable]]) -> AsyncIterator[None]:
    """The lifespan of `app`, which sets `app.state.services`.

    An error is stored in `app.state.failed`, because uvicorn only logs it.
    """
    app.state.starting = asyncio.current_task()
    try:
        async with services() as app.state.services:
            app.state.starting = None
            yield
    except BaseException as error:
        app.state.failed = error
        raise


async def disconnected(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
