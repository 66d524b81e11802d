"""Runs that are decoded at once, which a server leaves to an explainer."""

from collections.abc import Awaitable
from dataclasses import dataclass

from app.sandbox import Run
from app.sandbox.decoded_run import trace_of
from app.trace.chunks import Trace


@dataclass(frozen=True, kw_only=True)
class Traced(Run):
    """A run and its trace."""

    trace: Trace


async def traced(running: Awaitable[Run]) -> Traced:
    """The run, when it has ended, with its trace."""
    run = await running
    return Traced(**vars(run), trace=trace_of(run))
