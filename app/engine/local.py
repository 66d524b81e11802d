"""The engine of one machine: its own sandbox behind its own admission."""

from typing import Protocol

from app.engine.admission import Admission
from app.sandbox import Run, Sandbox, SandboxDied
from app.trace.records import Request


class Engine(Protocol):
    """Where runs happen. The one other engine to come is a fleet of workers."""

    async def run(self, request: Request) -> Run:
        """Run `request` to its end, whatever that is. Raises Refused or a SandboxError. Cancelling kills the run."""
        ...


class LocalEngine:
    """Runs on this machine, at most `admission.places` at once."""

    def __init__(self, sandbox: Sandbox, admission: Admission) -> None:
        self.admission = admission
        self._sandbox = sandbox

    async def run(self, request: Request) -> Run:
        """Run `request` in this machine's sandbox as soon as there is a place."""
        async with self.admission.place():
            try:
                return await self._sandbox.run(request)
            except SandboxDied:  # not the snippet's doing, so it has a second chance in the next zygote
                return await self._sandbox.run(request)
