"""One queue as a web has it: the workers of the queue, the order that it shares with other webs, and the engine of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.engine import Capacity
from app.fleet.engine import FleetEngine
from app.fleet.names import Keys
from app.fleet.webs.order import SharedAdmission
from app.fleet.webs.this_web import ThisWeb
from app.fleet.workers import Workers
from app.sandbox.tiers import Tier


class Line:
    """Whose runs wait for the same workers. `secret` is what webs have, and neither Redis nor workers."""

    def __init__(self, web: ThisWeb, keys: Keys, capacity: Capacity, needed: Tier, secret: bytes) -> None:
        self.keys = keys
        self.admission = SharedAdmission(web, keys, capacity, secret)
        self.workers = Workers(web.redis, keys, needed, self.admission.resize)
        self.engine = FleetEngine(web.redis, keys, self.admission, self.workers)

    @property
    def has_workers(self) -> bool:
        """Whether a worker may be given runs at this moment."""
        return bool(self.workers.usable)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Look at the workers and hear of the order meanwhile; at the end, until every worker knows what to stop."""
        async with self.workers.watching(), self.admission.working():
            yield
        await self.engine.close()
