"""How a worker claims a run that was handed to it: once, and only under the start of Redis that saw it handed over."""

import asyncio
from typing import Final

from redis.asyncio import Redis

from app.fleet.connection import ANSWER_SECONDS
from app.fleet.names import Keys

CLAIM_MILLISECONDS: Final = 600_000


async def claim(redis: Redis, keys: Keys, worker: str, run: str) -> tuple[bytes, bytes] | None:
    """Request and reply for the one who claims the run; nothing for whoever comes later. Raises TROUBLE.

    A transaction, because a worker's user may send no script.
    """
    asked = keys.request(worker, run)
    async with asyncio.timeout(ANSWER_SECONDS), redis.pipeline(transaction=True) as pipe:
        pipe.hmget(asked, ["start", "request", "reply"])
        pipe.delete(asked)
        pipe.set(keys.claim(worker, run), b"", nx=True, px=CLAIM_MILLISECONDS)
        pipe.info("server")
        (start, request, reply), _, is_first, server = await pipe.execute()
    if not is_first or start is None or start.decode("ascii", "replace") != str(server["run_id"]):
        return None
    return request, reply
