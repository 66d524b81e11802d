"""Runs whose recordings are decoded immediately; a server leaves this to an explainer."""

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
    """Return the run with its trace, after it has ended."""
    run = await running
    return Traced(**vars(run), trace=trace_of(run))
