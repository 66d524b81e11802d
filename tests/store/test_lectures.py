"""Lectures in the store: create, edit, delete by token, quotas, reports and blocking."""

from datetime import timedelta

import pytest

from app.store import LinkGone, NotText, QuotaSpent, Store, StoreFull, Written
from app.store.lecture_rows import ROW_BYTES
from app.store.upkeep import keep_up
from tests.store.test_reports import reporter
from tests.store.test_rules import Clock, allowing, clock, kept, maker, store
from tests.store.test_store import counted

__all__ = ["clock", "store"]
pytestmark = pytest.mark.asyncio
WRITTEN = Written(title="Views", author="Week 3", parts='[{"snippet":"abc","at":"step=1"}]')


async def test_a_lecture_is_kept_as_it_was_written(store: Store) -> None:
    lecture_id = await store.lectures.keep(WRITTEN, maker(token="t1"))
    found = await store.lectures.lecture(lecture_id)
    assert found is not None
    assert (found.title, found.author, found.parts) == ("Views", "Week 3", WRITTEN.parts)
    assert found.changed is None and found.held is None
    assert await store.size() == len("ViewsWeek 3") + len(WRITTEN.parts) + ROW_BYTES
    assert await store.lectures.lecture("nothing") is None
    assert await store.lectures.lecture("\0") is None


async def test_who_has_the_token_edits_and_deletes_it(store: Store) -> None:
    lecture_id = await store.lectures.keep(WRITTEN, maker(token="t1"))
    longer = Written(title="Views and versions", author="", parts=WRITTEN.parts)
    assert not await store.lectures.has_token(lecture_id, "t2")
    assert not await store.lectures.change(lecture_id, "t2", longer)
    assert await store.lectures.has_token(lecture_id, "t1")
    assert await store.lectures.change(lecture_id, "t1", longer)
    found = await store.lectures.lecture(lecture_id)
    assert found is not None and found.title == "Views and versions" and found.changed is not None
    assert await store.size() == longer.size
    assert not await store.lectures.delete_by_token(lecture_id, "t2")
    assert await store.lectures.delete_by_token(lecture_id, "t1")
    assert await store.size() == 0
    assert not await store.lectures.change(lecture_id, "t1", longer)


@pytest.mark.parametrize("text", ["\0", "\ud800"])
async def test_what_is_no_text_is_refused(store: Store, text: str) -> None:
    with pytest.raises(NotText):
        await store.lectures.keep(Written(title=text, author="", parts="[]"), maker())
    lecture_id = await store.lectures.keep(WRITTEN, maker(token="t1"))
    with pytest.raises(NotText):
        await store.lectures.change(lecture_id, "t1", Written(title="", author="", parts=text))


async def test_it_counts_as_a_link_of_its_maker(url: str, clock: Clock) -> None:
    opened = await Store.open(url, 1 << 20, allowing(links=2), clock)
    try:
        await kept(opened, "x = 1", maker())
        await opened.lectures.keep(WRITTEN, maker())
        with pytest.raises(QuotaSpent):
            await opened.lectures.keep(WRITTEN, maker())
    finally:
        await opened.close()


async def test_a_full_store_takes_no_lecture_but_an_edit(url: str) -> None:
    opened = await Store.open(url, WRITTEN.size)
    try:
        lecture_id = await opened.lectures.keep(WRITTEN, maker(token="t1"))
        with pytest.raises(StoreFull):
            await opened.lectures.keep(WRITTEN, maker())
        assert await opened.lectures.change(lecture_id, "t1", Written(title="A longer title", author="", parts="[]" * 30))
    finally:
        await opened.close()


async def test_whoever_visits_it_visits_its_links(store: Store, clock: Clock) -> None:
    shown, other = await kept(store, "x = 1"), await kept(store, "x = 2")
    lecture_id = await store.lectures.keep(WRITTEN, maker(token="t1"))
    clock.now += timedelta(days=20)
    found = await store.lectures.lecture(lecture_id)
    assert found is not None
    await store.lectures.visit(found, [shown])
    clock.now += timedelta(days=20)
    assert (await keep_up(store, None, 30)).expired == 1
    assert await store.snippet(other) is None
    assert await store.snippet(shown) is not None
    assert await store.lectures.lecture(lecture_id) is not None
    clock.now += timedelta(days=20)
    assert (await keep_up(store, None, 30)).expired == 2
    assert await store.lectures.lecture(lecture_id) is None
    assert await store.size() == 0


async def test_the_links_that_are_there_are_told(store: Store) -> None:
    there, held = await kept(store, "x = 1"), await kept(store, "x = 2")
    await store.links.hold([held])
    assert await store.links.shown([there, held, "nothing"]) == {there}
    assert await store.links.shown([]) == set()


async def test_an_operator_holds_it_back_lists_and_deletes_it(store: Store, clock: Clock) -> None:
    first = await store.lectures.keep(WRITTEN, maker())
    second = await store.lectures.keep(Written(title="Longer than the first", author="", parts=WRITTEN.parts), maker())
    assert [each.id for each in await store.lectures.listed("size", 9)] == [second, first]
    await store.lecture_reports.add(first, reporter(), "rude")
    assert [(each.id, each.reports) for each in await store.lectures.listed("reports", 1)] == [(first, 1)]
    assert await store.lectures.hold([first, "nothing"]) == 1
    held = await store.lectures.lecture(first)
    assert held is not None and held.held is not None
    clock.now += timedelta(days=400)
    assert await store.lectures.delete_unvisited(timedelta(days=30)) == 1, "what is held back stays"
    assert await store.lectures.release([first]) == 1
    assert await store.lectures.delete([first]) == 1
    assert await store.lecture_reports.about(first) == []
    assert await store.size() == 0


async def test_reports_are_counted_and_noted_once(store: Store) -> None:
    lecture_id = await store.lectures.keep(WRITTEN, maker())
    before = await store.size()
    await store.lecture_reports.add(lecture_id, reporter(), "rude")
    await store.lecture_reports.add(lecture_id, reporter(), "very rude")
    assert [report.reason for report in await store.lecture_reports.about(lecture_id)] == ["rude"]
    assert await store.size() > before
    assert await store.size() == await counted(store)
    with pytest.raises(LinkGone):
        await store.lecture_reports.add("nothing", reporter(), "rude")
