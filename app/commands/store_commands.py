"""The commands for operators: links, backups of the store, and keys."""

import argparse
import asyncio
import re
import secrets
import shlex
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from sqlalchemy.engine import URL, make_url

from app.compose.settings import Settings
from app.errors import FAILED, FINISHED, MISUSED, CommandError
from app.store import KeptLecture, ListedLecture, ListedLink, Report, Snippet, Store, StoreError
from app.store.backup import back_up, restore
from app.store.database import file_of
from app.store.keys import KEY_BYTES, SIGNS_AFTER
from app.store.sqlite_file import in_use
from app.web.edge.visitors import key_of_before
from app.words.printable import printable

T = TypeVar("T")

_ID = re.compile(r"(?:.*/[sl]/)?([A-Za-z0-9]{1,16})(?:[?#].*)?")
BEGIN_COLUMNS: Final = 50


def links(options: argparse.Namespace, settings: Settings) -> int:
    """List, show or change links; return the exit code. Raises CommandError if a link does not exist."""
    action = options.action or "list"
    if action == "list":
        return _with_store(settings, lambda store: _list(store, getattr(options, "by", "size"), getattr(options, "count", 20)))
    ids = [_id(named) for named in options.links]
    if action == "show":
        return _with_store(settings, lambda store: _show(store, ids))
    return _with_store(settings, lambda store: _change(store, action, ids))


def backup(options: argparse.Namespace, settings: Settings) -> int:
    """Copy the store to a file. A server may use the store during the backup."""
    file = _file(
        settings, f"pg_dump --format=custom --file={shlex.quote(str(options.path))} --dbname={{url}}", "Back it up with"
    )
    copied = _with_command_errors(lambda: back_up(file, options.path))
    print(f"Copied {_count(copied.links, 'link')}, {_size(copied.bytes)}, to {printable(str(options.path))}.")
    return FINISHED


def restore_backup(options: argparse.Namespace, settings: Settings) -> int:
    """Replace the store by a backup. The server must be stopped."""
    command = f"pg_restore --clean --if-exists --single-transaction --dbname={{url}} {shlex.quote(str(options.path))}"
    file = _file(settings, command, "Stop the server, and restore it with")
    restored, before = _with_command_errors(lambda: restore(file, options.path))
    kept = "" if before is None else f" The previous store is {before}: remove it when everything works."
    print(printable(f"Restored {_count(restored.links, 'link')}, {_size(restored.bytes)}, from {options.path}.{kept}"))
    return FINISHED


def new_key(_: argparse.Namespace, settings: Settings) -> int:
    """Create a new key. Running webs load the new key automatically."""
    if settings.signing_keys:
        raise CommandError("STEPGRAD_SIGNING_KEYS contains the keys: add the new key at the start of that list.", MISUSED)
    first = key_of_before(settings.data) or secrets.token_bytes(KEY_BYTES)

    async def make(store: Store) -> int:
        await store.keys.begin(first)  # the store may have no key yet, if no server of this release has used it
        await store.keys.make()
        return FINISHED

    made = _with_store(settings, make)
    seconds = round(SIGNS_AFTER.total_seconds())
    print(f"Created a new key. It signs in {seconds} seconds, when all servers have loaded it. The previous key stays valid.")
    return made


async def _list(store: Store, by: str, count: int) -> int:
    listed = await store.links.listed(by, count)  # type: ignore[arg-type]  # argparse checks the four values
    heads = ("ID", "SIZE", "SHARED", "MADE", "VISITED", "REPORTS", "STATE", "TITLE OR SNIPPET")
    rows = [heads, *(_row(link) for link in listed)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads) - 1)]
    if listed:
        for row in rows:
            cells = [
                cell.rjust(width) if number in (1, 2, 5) else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=False))
            ]
            print("  ".join((*cells, row[-1])).rstrip())
        print()
    for lecture in await store.lectures.listed(by, count):  # type: ignore[arg-type]
        print(_lecture_line(lecture))
    print(f"{_count(await store.links.count(), 'link')}, {_size(await store.size())} in all.")
    return FINISHED


def _lecture_line(lecture: ListedLecture) -> str:
    state = "shown" if lecture.held is None else "held back"
    reports = f", {_count(lecture.reports, 'report')}" if lecture.reports else ""
    made, visited = f"made {lecture.created:%Y-%m-%d}", f"visited {lecture.visited:%Y-%m-%d}"
    line = f"lecture {lecture.id}: {_size(lecture.bytes)}, {made}, {visited}, {state}{reports}."
    return f"{line} {printable(lecture.title)}".rstrip()


def _row(link: ListedLink) -> tuple[str, ...]:
    shared = "" if link.links == 1 else f"{link.links} links"
    begin = printable(link.title or _first_line(link.begin))
    begin = begin if len(begin) <= BEGIN_COLUMNS else f"{begin[: BEGIN_COLUMNS - 1]}…"
    state = "shown" if link.held is None else "held back"
    made, visited = f"{link.created:%Y-%m-%d}", f"{link.visited:%Y-%m-%d}"
    return link.id, _size(link.bytes), shared, made, visited, str(link.reports or ""), state, begin


def _first_line(source: str) -> str:
    """The first line of a snippet that is not an import; if all lines are imports, the first line."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(("import ", "from "))), next(iter(lines), ""))


async def _show(store: Store, ids: list[str]) -> int:
    missing = []
    for each in ids:
        if (snippet := await store.snippet(each)) is not None:
            print("\n".join(_described(snippet, await store.reports.about(each))))
        elif (lecture := await store.lectures.lecture(each)) is not None:
            print("\n".join(_lecture_described(lecture, await store.lecture_reports.about(each))))
        else:
            missing.append(each)
    return _unless_missing(missing)


def _lecture_described(lecture: KeptLecture, reports: Sequence[Report]) -> list[str]:
    made = f"made {lecture.created:%Y-%m-%d %H:%M} UTC, last visited {lecture.visited:%Y-%m-%d}"
    state = "shown" if lecture.held is None else f"held back since {lecture.held:%Y-%m-%d %H:%M} UTC"
    heading = [f"{name}: {printable(getattr(lecture, name))}" for name in ("title", "author") if getattr(lecture, name)]
    parts = [f"    {printable(msgspec.json.encode(part).decode())}" for part in msgspec.json.decode(lecture.parts)]
    return [f"lecture {lecture.id}: {made}, {state}.", *heading, *map(_report, reports), "", *parts, ""]


def _described(snippet: Snippet, reports: Sequence[Report]) -> list[str]:
    made = f"made {snippet.created:%Y-%m-%d %H:%M} UTC, last visited {snippet.visited:%Y-%m-%d}"
    state = "shown" if snippet.held is None else f"held back since {snippet.held:%Y-%m-%d %H:%M} UTC"
    lines = [f"    {printable(line)}" for line in snippet.source.split("\n")]
    return [f"{snippet.id}: {made}, {state}.", *_heading(snippet), *map(_report, reports), "", *lines, ""]


def _heading(snippet: Snippet) -> Iterator[str]:
    for name in ("title", "author", "parent"):
        if getattr(snippet, name):
            yield f"{name}: {printable(getattr(snippet, name))}"
    for step, note in msgspec.json.decode(snippet.notes or "{}", type=dict[str, str]).items():
        yield f"note on {printable(step)}: {printable(note)}"


def _report(report: Report) -> str:
    reason = f": {printable(report.reason)}" if report.reason else ", without a reason"
    return f"reported on {report.day:%Y-%m-%d}{reason}"


async def _change(store: Store, action: str, ids: list[str]) -> int:
    done = {"delete": "Deleted", "hold": "Held back", "release": "Released"}[action]
    links = [each for each in ids if await store.snippet(each) is not None]
    lectures = [each for each in ids if each not in links and await store.lectures.lecture(each) is not None]
    counts = []
    if links or not lectures:
        counts.append(_count(await getattr(store.links, action)(links), "link"))
    if lectures:
        counts.append(_count(await getattr(store.lectures, action)(lectures), "lecture"))
    print(f"{done} {' and '.join(counts)}.")
    return _unless_missing([each for each in ids if each not in links + lectures])


def _unless_missing(ids: list[str]) -> int:
    if ids:
        raise CommandError(f"There is no link {' or '.join(ids)} in the store.", FAILED)
    return FINISHED


def _with_store(settings: Settings, work: Callable[[Store], Awaitable[int]]) -> int:
    async def go() -> int:
        file = file_of(settings.database_url)
        if file is not None and not file.is_file():
            raise CommandError(f"There is no store at {file}: set STEPGRAD_DATA to its directory.")
        with in_use(file):
            store = await Store.open(settings.database_url, settings.store_bytes)
            try:
                return await work(store)
            finally:
                await store.close()

    return _with_command_errors(lambda: asyncio.run(go()))


def _file(settings: Settings, command: str, advice: str) -> Path:
    """The SQLite file of the store. For PostgreSQL, raises CommandError with the command to use instead."""
    file = _with_command_errors(lambda: file_of(settings.database_url))
    if file is None:
        named = make_url(settings.database_url)
        url = URL.create("postgresql", named.username, None, named.host, named.port, named.database, named.query)
        raise CommandError(f"The store is in PostgreSQL. {advice}: {command.format(url=shlex.quote(str(url)))}")
    return file


def _with_command_errors(work: Callable[[], T]) -> T:
    try:
        return work()
    except StoreError as error:
        raise CommandError(error.for_operators()) from error


def _id(named: str) -> str:
    match = _ID.fullmatch(named)
    if match is None:
        raise CommandError(f"{printable(named)} is not a link: use its id, such as aB3dE6gH9kL, or its URL.", MISUSED)
    return match[1]


def _size(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
