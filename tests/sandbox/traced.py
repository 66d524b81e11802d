"""Run a snippet in the sandbox and decode its recording. (A server decodes recordings in other processes.)"""

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
    """Wait until a run has ended, and return it with its trace."""
    run = await running
    return Traced(**vars(run), trace=trace_of(run))
