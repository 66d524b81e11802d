"""Rules of the store: quotas, deletion, expiry and blocked links. A recording is deleted with its last link."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta

import pytest
import pytest_asyncio
from sqlalchemy import select, text, update

from app.store import LinkGone, Maker, NotText, Quota, Quotas, QuotaSpent, Store, StoreDamaged
from app.store.tables import quotas, recordings
from app.trace.records import FORMAT
from tests.store.recordings import key, recording
from tests.store.test_store import counted

pytestmark = pytest.mark.asyncio
MORNING = datetime.fromisoformat("2026-11-22T09:00")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def allowing(links: int, size: int = 1 << 20, of_visitor: int = 1 << 20) -> Quotas:
    return Quotas(key=b"k" * 32, of_address=Quota(links=links, bytes=size), of_visitor=Quota(links=of_visitor, bytes=1 << 30))


def maker(address: str = "192.0.2.1", visitor: str = "somebody", token: str = "token") -> Maker:
    return Maker(address=address, visitor=visitor, token=token)


@pytest_asyncio.fixture
async def store(url: str, clock: Clock) -> AsyncIterator[Store]:
    opened = await Store.open(url, 1 << 20, allowing(3), clock)
    yield opened
    await opened.close()


async def kept(store: Store, source: str, by: Maker | None = None) -> str:
    return await store.keep(source, 0, recording(source), maker=by)


# --- quotas -----------------------------------------------------------------------------------------------------------


async def test_an_address_has_its_links_of_a_day(store: Store, clock: Clock) -> None:
    for number in range(3):
        await kept(store, f"x = {number}", maker())
    size = await store.size()
    with pytest.raises(QuotaSpent, match="3 links") as refused:
        await kept(store, "x = 3", maker(visitor="somebody else"))
    assert (refused.value.whose, refused.value.retry_after) == ("address", 15 * 3600)
    with pytest.raises(QuotaSpent):
        await store.check_quotas(maker())
    assert await store.size() == size == await counted(store), "nothing of it was kept"
    await kept(store, "x = 3", maker("192.0.2.2"))
    clock.now += timedelta(seconds=refused.value.retry_after)
    await store.check_quotas(maker())
    await kept(store, "x = 3", maker())


async def test_the_bytes_of_a_day_are_what_a_link_adds(url: str, clock: Clock) -> None:
    store = await Store.open(url, 1 << 20, allowing(1000, size=4000), clock)
    alone = await kept(store, "y = 1")
    before = await store.size()
    for _ in range(5):
        await kept(store, "y = 1", maker())
    added = await store.size() - before
    assert added < 2000, "the recording is there already"
    with pytest.raises(QuotaSpent):
        for number in range(100):
            await kept(store, f"x = {number}", maker())
    assert 3000 < await store.size() - before <= 4000
    assert await store.snippet(alone) is not None
    await store.close()


async def test_a_visitor_leaves_the_rest_to_their_network(url: str, clock: Clock) -> None:
    store = await Store.open(url, 1 << 20, allowing(5, of_visitor=2), clock)
    for number in range(2):
        await kept(store, f"x = {number}", maker())
    with pytest.raises(QuotaSpent) as refused:
        await kept(store, "x = 3", maker())
    assert refused.value.whose == "visitor"
    await kept(store, "x = 3", maker(visitor="their neighbour"))
    await store.close()


async def test_writers_that_come_together_overshoot_nothing(url: str, clock: Clock) -> None:
    stores = await asyncio.gather(*(Store.open(url, 1 << 20, allowing(10), clock) for _ in range(3)))
    tries = (kept(stores[number % 3], f"x = {number}", maker(visitor=str(number))) for number in range(40))
    ended = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(end, str) for end in ended) == 10
    assert {type(end) for end in ended} == {str, QuotaSpent}
    for store in stores:
        await store.close()
    again = await Store.open(url, 1 << 20, allowing(10), clock)
    with pytest.raises(QuotaSpent):
        await kept(again, "after a restart", maker())
    await again.close()


async def test_what_is_counted_names_nobody_and_goes_with_its_day(store: Store, clock: Clock) -> None:
    for _ in range(2):
        await kept(store, "x = 1", maker())
        async with store._database.reading() as connection:
            rows = (await connection.execute(select(quotas))).all()
        assert {row.day for row in rows} == {clock.now.date()}
        clock.now += timedelta(days=1)
        await store.links.forget_quotas()
    async with store._database.reading() as connection:
        assert (await connection.execute(select(quotas))).all() == []
    assert "192.0.2.1" not in str(rows) and "somebody" not in str(rows)


# --- deletion ---------------------------------------------------------------------------------------------------------


async def test_its_token_changes_what_stands_above_a_link_and_nothing_else_does(store: Store) -> None:
    mine = await kept(store, "x = 1", maker(token="mine"))
    for title, author in (("多言語 🙂", "Week 3"), ("short", ""), ("", "")):
        assert not await store.links.set_heading(mine, "other", title="x", author="x")
        assert await store.links.set_heading(mine, "mine", title=title, author=author)
        snippet = await store.snippet(mine)
        assert snippet is not None and (snippet.title, snippet.author) == (title, author)
        assert await store.size() == await counted(store)
    with pytest.raises(NotText):
        await store.links.set_heading(mine, "mine", title="\0", author="")


async def test_its_token_deletes_a_link_and_nothing_else_does(store: Store) -> None:
    mine = await kept(store, "x = 1", maker(token="mine"))
    of_before = await kept(store, "x = 2")
    for token in ("", "other", "mine "):
        assert not await store.links.delete_by_token(mine, token)
        assert not await store.links.delete_by_token(of_before, token)
    assert await store.links.delete_by_token(mine, "mine")
    assert await store.snippet(mine) is None
    assert await store.snippet(of_before) is not None
    assert not await store.links.delete_by_token(mine, "mine")


async def test_a_recording_goes_with_its_last_link(store: Store) -> None:
    first, second = [await kept(store, "x = 1") for _ in range(2)]
    shown = recording("x = 1")
    await store.keep_explanation(shown.hash, "explainer", b"said")
    await store.links.delete([first])
    assert await store.recording(shown.hash) == shown
    assert await store.size() == await counted(store)
    assert await store.links.delete([second, "nothing"]) == 1
    with pytest.raises(LinkGone):
        await store.recording(shown.hash)
    assert await store.latest(key("x = 1")) is None
    assert await store.explanation(shown.hash, "explainer") is None
    assert await store.size() == await counted(store) == 0
    async with store._database.reading() as connection:
        for table in ("recordings", "snippets", "explanations"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0


async def test_deleting_and_keeping_at_once_loses_no_recording(url: str) -> None:
    """Concurrent tasks delete and create links of one recording. While a link exists, so does the recording."""
    stores = await asyncio.gather(Store.open(url, 1 << 20), Store.open(url, 1 << 20))
    last = await kept(stores[0], "x = 1")
    for _ in range(20):
        _, last = await asyncio.gather(stores[0].links.delete([last]), kept(stores[1], "x = 1"))
        snippet = await stores[0].snippet(last)
        assert snippet is not None and await stores[1].recording(snippet.recording) == recording("x = 1")
    assert await stores[0].size() == await counted(stores[0])
    for store in stores:
        await store.close()


async def test_what_was_recorded_again_takes_the_place_of_the_first(store: Store) -> None:
    old, new = recording("x = 1", torch="2.12.0"), recording("x = 1")
    link = await store.keep("x = 1", 0, old)
    await store.keep_again(link, new)
    with pytest.raises(LinkGone):
        await store.recording(old.hash)
    assert await store.size() == await counted(store)
    await store.links.delete([link])
    await store.keep_again(link, old)
    assert await store.size() == await counted(store) == 0


async def test_a_full_store_still_records_again(url: str) -> None:
    store = await Store.open(url, 1 << 20)
    link = await store.keep("x = 1", 0, recording("x = 1", torch="2.12.0"))
    size = await store.size()
    await store.close()
    full = await Store.open(url, size)
    await full.keep_again(link, recording("x = 1", torch="2.13.0"))
    assert await full.size() == await counted(full) <= size
    await full.close()


async def test_a_damaged_recording_is_mended(store: Store) -> None:
    whole = recording("x = 1")
    links = [await kept(store, "x = 1") for _ in range(2)]
    async with store._database.writing() as connection:
        await connection.execute(update(recordings).values(trace=b"nonsense"))
    with pytest.raises(StoreDamaged):
        await store.recording(whole.hash)
    assert [(await store.snippet(link)).format for link in links] == [0, 0], "whoever comes next reads none of its bytes"  # type: ignore[union-attr]
    await store.keep_again(links[0], whole)
    assert [(await store.snippet(link)).format for link in links] == [FORMAT, FORMAT]  # type: ignore[union-attr]
    assert await store.recording(whole.hash) == whole
    assert await store.size() == await counted(store)


# --- visits and expiry ------------------------------------------------------------------------------------------------


async def visited(store: Store, snippet_id: str) -> date:
    snippet = await store.snippet(snippet_id)
    assert snippet is not None
    await store.links.visit(snippet)
    return snippet.visited


async def test_a_visit_writes_once_a_day(store: Store, clock: Clock) -> None:
    link = await kept(store, "x = 1")
    assert await visited(store, link) == MORNING.date()
    clock.now += timedelta(days=2)
    await visited(store, link)
    assert await visited(store, link) == clock.now.date()
    async with store._database.writing():  # if another process were writing, this write would wait and then fail
        await asyncio.wait_for(visited(store, link), 5)


async def test_links_nobody_visits_expire(store: Store, clock: Clock) -> None:
    links = [await kept(store, f"x = {number // 2}") for number in range(6)]
    clock.now += timedelta(days=10)
    await visited(store, links[0])
    await store.links.hold([links[5]])
    clock.now += timedelta(days=20)
    lately = timedelta(days=20)
    assert await store.links.delete_unvisited(timedelta(days=30)) == 0
    assert await store.links.delete_unvisited(lately) == 4
    assert await store.links.delete_unvisited(lately) == 0
    assert [await store.snippet(link) is not None for link in links] == [True, False, False, False, False, True]
    assert await store.recording(recording("x = 0").hash) == recording("x = 0")
    assert await store.size() == await counted(store)


# --- commands of an operator ----------------------------------------------------------------------------------------------


async def test_links_are_listed_and_held_back(store: Store, clock: Clock) -> None:
    links = []
    for source in ("small = 1", "large = '" + "x" * 5000 + "'", "y = 1", "y = 1"):
        links.append(await kept(store, source))
        clock.now += timedelta(days=1)
    _, large, *twins = links
    largest = await store.links.listed("size", 2)
    assert largest[0].id == large and largest[0].bytes > 5000 and len(largest[0].begin) == 400
    oldest = await store.links.listed("age", 10)
    assert [link.id for link in oldest] == links
    assert [link.links for link in oldest] == [1, 1, 2, 2]
    assert await store.links.hold([large, "nothing"]) == 1
    assert not await store.is_shown(recording("large = '" + "x" * 5000 + "'").hash)
    assert [link.id for link in await store.links.listed("visit", 10) if link.held is not None] == [large]
    await store.links.release([large])
    snippet = await store.snippet(large)
    assert snippet is not None and snippet.held is None
    await store.links.hold([twins[0]])
    assert await store.is_shown(recording("y = 1").hash), "the other shows it"
