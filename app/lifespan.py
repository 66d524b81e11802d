"""The lifespan of an ASGI application: its startup and shutdown events."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from starlette.applications import Starlette


class Stoppable(Protocol):
    """The services of an application."""

    async def leave(self) -> None:
        """The server stops: end what only listens."""

    def end_all(self) -> None:
        """End the runs that are still under way."""


def prepare(app: Starlette) -> None:
    """Set the state that `app.serving` reads."""
    app.state.failed = None
    app.state.starting = None  # the task to cancel to end a start
    app.state.is_leaving = False
    app.state.is_stopping = False


@asynccontextmanager
async def living(app: Starlette, services: Callable[[], AbstractAsyncContextManager[Stoppable]]) -> AsyncIterator[None]:
    """The lifespan of `app`: its services live in `app.state.services`. An error is kept, because uvicorn only logs it."""
    app.state.starting = asyncio.current_task()
    try:
        async with services() as app.state.services:
            app.state.starting = None
            yield
    except BaseException as error:
        app.state.failed = error
        raise
