"""A watcher of a run that records the events it receives."""

import asyncio
import secrets

from app.engine import Progress


class Listener:
    def __init__(self) -> None:
        self.id = secrets.token_hex(8)
        self.stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.positions: list[int] = []
        self.waits = asyncio.Event()
        self.told: list[Progress] = []
        self.has_step = asyncio.Event()

    def queued(self, position: int) -> None:
        self.positions.append(position)
        self.waits.set()

    def running(self, progress: Progress) -> None:
        self.told.append(progress)
        if progress.statements:
            self.has_step.set()
