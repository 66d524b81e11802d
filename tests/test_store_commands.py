"""The commands that manage links: their output, effects and errors."""

import asyncio
import re
from pathlib import Path

import pytest

from app.commands.cli import main
from app.store import Heading, Maker, Reporter, Store, Written
from tests.store.recordings import recording

HEADING = Heading(title="Week 3: \x1b[31mviews", author="Ada\u202e", parent="aB3dE6gH9k")
EVIL = "x = 1  # \x1b]0;owned\x07 \x1b[31mred \u202e\n"


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Create three links: a small one, a large one, and one with control characters."""
    monkeypatch.setenv("STEPGRAD_DATA", str(tmp_path))

    async def make() -> list[str]:
        store = await Store.open(f"sqlite:///{tmp_path / 'stepgrad.sqlite'}", 1 << 30)
        sources = ("\n\nimport torch\n\nx = torch.ones(3)\n", f"large = '{'x' * 100_000}'\n", EVIL)
        headings = (Heading(), Heading(), HEADING)
        kept = zip(sources, headings, strict=True)
        made = [await store.keep(source, 0, recording(source), heading=heading) for source, heading in kept]
        await store.close()
        return made

    return asyncio.run(make())


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err and "\x07" not in told.out
    return code, told.out, told.err


def test_links_are_listed_by_size_and_by_age(links: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "links")
    assert code == 0
    head, largest, *_, empty, total = out.splitlines()
    assert head.split() == ["ID", "SIZE", "SHARED", "MADE", "VISITED", "REPORTS", "STATE", "TITLE", "OR", "SNIPPET"]
    assert re.fullmatch(rf"{links[1]}  9\d\.\d kB  +20\d\d-\d\d-\d\d  20\d\d-\d\d-\d\d +shown  large = 'xx+…", largest)
    assert empty == "" and re.fullmatch(r"3 links, \d+\.\d kB in all\.", total)
    _, out, _ = said(capsys, "links", "list", "--by", "age", "--count", "1")
    assert links[0] in out and "x = torch.ones(3)" in out and "import" not in out and links[1] not in out
    assert re.search(rf"{links[2]} .* shown  Week 3: \\x1b\[31mviews$", said(capsys, "links")[1], re.MULTILINE)


def test_a_link_is_shown_held_back_released_and_deleted(links: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    address = f"https://stepgrad.example/s/{links[2]}#step=3"
    assert said(capsys, "links", "hold", address)[:2] == (0, "Held back 1 link.\n")
    code, out, _ = said(capsys, "links", "show", links[2])
    assert code == 0 and "held back since" in out and r"x = 1  # \x1b]0;owned\x07" in out
    assert out.splitlines()[1:4] == [r"title: Week 3: \x1b[31mviews", r"author: Ada\u202e", "parent: aB3dE6gH9k"]
    assert "held back" in said(capsys, "links")[1]
    assert said(capsys, "links", "release", links[2])[:2] == (0, "Released 1 link.\n")
    code, out, err = said(capsys, "links", "delete", links[0], links[2], "nothing1")
    assert (code, out, err) == (1, "Deleted 2 links.\n", "stepgrad: There is no link nothing1 in the store.\n")
    assert said(capsys, "links")[1].splitlines()[-1].startswith("1 link, ")
    assert said(capsys, "links", "delete", "../x")[0] == 2


def test_a_lecture_is_listed_shown_held_back_released_and_deleted(
    links: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def publish() -> str:
        store = await Store.open(f"sqlite:///{tmp_path / 'stepgrad.sqlite'}", 1 << 30)
        parts = '[{"snippet":"abc","at":"step=1","note":{"en":"\\u001b[31mred"}}]'
        maker = Maker(address="192.0.2.1", visitor="one", token="token")
        made = await store.lectures.keep(Written(title="Views \x1b[31m", author="Ada", parts=parts), maker)
        await store.lecture_reports.add(made, Reporter(address="192.0.2.1", visitor="one"), "rude \x07")
        await store.close()
        return made

    made = asyncio.run(publish())
    assert f"lecture {made}: " in said(capsys, "links")[1]
    assert said(capsys, "links", "hold", f"https://stepgrad.example/l/{made}", links[0])[:2] == (
        0,
        "Held back 1 link and 1 lecture.\n",
    )
    code, out, _ = said(capsys, "links", "show", made)
    assert code == 0 and "held back since" in out and "title: Views" in out and "rude" in out and "step=1" in out
    assert said(capsys, "links", "release", made)[:2] == (0, "Released 1 lecture.\n")
    assert said(capsys, "links", "delete", made)[:2] == (0, "Deleted 1 lecture.\n")
    assert said(capsys, "links", "delete", made)[0] == 1


def test_what_visitors_report_is_listed_and_shown(links: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def report() -> None:
        store = await Store.open(f"sqlite:///{tmp_path / 'stepgrad.sqlite'}", 1 << 30)
        for number, reason in enumerate(("\x1b[31mrude \u202e", "", "copied")):
            reporter = Reporter(address="192.0.2.1", visitor=f"visitor {number}")
            await store.reports.add(links[2], reporter, reason)
            await store.reports.add(links[0], Reporter(address="192.0.2.1", visitor="one"), reason)
        await store.close()

    asyncio.run(report())
    code, out, _ = said(capsys, "links", "list", "--by", "reports")
    rows = out.splitlines()[1:4]
    assert code == 0 and [row.split()[0] for row in rows] == [links[2], links[0], links[1]]
    assert re.search(r"  3  shown  Week 3", rows[0]) and "  1  shown  x = torch" in rows[1]
    _, out, _ = said(capsys, "links", "show", links[2])
    assert r"reported on 20" in out and r": \x1b[31mrude \u202e" in out and ", without a reason" in out and ": copied" in out
    assert said(capsys, "links", "delete", links[2])[:2] == (0, "Deleted 1 link.\n")
    assert " 3  shown" not in said(capsys, "links")[1]


def test_a_backup_and_back(links: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "backup.sqlite")
    code, out, _ = said(capsys, "backup", path)
    assert code == 0 and re.fullmatch(rf"Copied 3 links, \d+\.\d kB, to {path}\.\n", out)
    assert said(capsys, "backup", path) == (1, "", f"stepgrad: {path} already exists: choose a new file name.\n")
    said(capsys, "links", "delete", *links)
    code, out, _ = said(capsys, "restore", path)
    assert code == 0 and out.startswith("Restored 3 links, ") and "The previous store is " in out
    assert said(capsys, "links")[1].splitlines()[-1].startswith("3 links, ")


def test_where_no_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("STEPGRAD_DATA", str(tmp_path / "elsewhere"))
    for command in (("links",), ("backup", str(tmp_path / "backup"))):
        code, out, err = said(capsys, *command)
        assert (code, out) == (1, "") and f"There is no store at {tmp_path}/elsewhere/stepgrad.sqlite" in err
    assert not (tmp_path / "elsewhere").exists()


def test_postgresql_has_commands_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("STEPGRAD_DATABASE", "postgresql://stepgrad:secret@db.example/stepgrad")
    code, _, err = said(capsys, "backup", "out.dump")
    assert code == 1
    assert "pg_dump --format=custom --file=out.dump --dbname=postgresql://stepgrad@db.example/stepgrad" in err
    code, _, err = said(capsys, "restore", "out.dump")
    assert code == 1 and "pg_restore --clean" in err and "secret" not in err


def test_a_new_key_is_made_and_the_one_of_before_stays_valid(
    links: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "signing-key").write_bytes(b"k" * 32)
    code, out, _ = said(capsys, "new-key")
    assert (code, out.split(".")[0]) == (0, "Created a new key")

    async def keys() -> tuple[bytes, ...]:
        store = await Store.open(f"sqlite:///{tmp_path / 'stepgrad.sqlite'}", 1 << 30, first_key=b"x" * 32)
        await store.close()
        return store.keys.valid

    assert asyncio.run(keys())[0] == b"k" * 32 and len(asyncio.run(keys())) == 2
    monkeypatch.setenv("STEPGRAD_SIGNING_KEYS", "ab" * 32)
    code, _, err = said(capsys, "new-key")
    assert code == 2 and "STEPGRAD_SIGNING_KEYS" in err
