"""Signing keys in the store: all servers share them, and new keys come into use on a schedule."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import pytest

from app.store import Store
from app.store.keys import SIGNS_AFTER, SigningKeys
from tests.store.test_rules import allowing

pytestmark = pytest.mark.asyncio
ROOM = 1 << 20
KEYS = [bytes([number]) * 32 for number in range(4)]


class Clock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.now = datetime.fromisoformat("2026-01-02T03:04:05")

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


async def test_servers_that_start_at_once_have_one_key(url: str) -> None:
    stores = await asyncio.gather(*(Store.open(url, ROOM, first_key=key) for key in KEYS))
    assert len({store.keys.lasting for store in stores}) == len({store.keys.valid for store in stores}) == 1
    assert stores[0].keys.valid == (stores[0].keys.lasting,) and stores[0].keys.lasting in KEYS
    for store in stores:
        await store.close()


async def test_a_new_key_signs_when_every_server_knows_it(store: Store) -> None:
    clock = Clock()
    keys, others = (SigningKeys(store._database, clock) for _ in range(2))
    await keys.begin(KEYS[0])
    await others.begin(KEYS[1])
    assert others.valid == (KEYS[0],)
    await keys.make()
    new, first = keys.valid[1], keys.valid[0]
    assert first == KEYS[0] and new not in KEYS
    assert others.valid == (first,), "it reads once a minute"
    clock.pass_by(SIGNS_AFTER)
    for each in (keys, others):
        await each.read()
        assert each.valid == (new, first)
    await keys.make()
    clock.pass_by(SIGNS_AFTER)
    await keys.make()
    clock.pass_by(SIGNS_AFTER)
    await others.read()
    assert len(others.valid) == 2 and not {new, first} & set(others.valid), "two are valid at once"
    assert others.lasting == KEYS[0], "counts go on"


async def test_quotas_count_by_the_first_key(url: str) -> None:
    for first in KEYS[:2]:
        store = await Store.open(url, ROOM, msgspec.structs.replace(allowing(1), key=b""), first_key=first)
        assert store._quotas is not None and store._quotas.key == KEYS[0]
        await store.keys.make()
        await store.close()
