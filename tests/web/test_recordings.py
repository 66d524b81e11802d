"""A large document refers to its trace by URL. The trace can be loaded as a whole or in pieces, while access is permitted."""

import asyncio
import gzip
import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from app.explainers import Explainers, explainer
from app.store import Store
from app.trace.codec import decode_trace
from app.trace.stored import PIECE_BYTES
from app.web.edge.errors import Problem
from app.web.runs.documents import Json, UnsentDocuments
from app.web.runs.explanations import Explanations
from app.web.runs.large import Turns
from app.web.runs.packed import PackedFiles
from app.web.runs.recent import Recent
from app.web.runs.recordings import Recordings
from tests.store.recordings import recording
from tests.trace.test_pieces import folded
from tests.web.streaming import EVENTS, events

LARGE = "import torch\nfor number in range(320):\n    x = torch.rand(256)\n"
PIECES = {"Accept": "application/json, application/x-ndjson"}


def fetched(client: httpx.Client, recording_hash: str, **headers: str) -> httpx.Response:
    answer = client.get(f"/api/v1/recordings/{recording_hash}", headers=headers)
    assert answer.status_code == 200, answer.text[:300]
    assert answer.headers["content-type"] == "application/x-ndjson"
    return answer


def test_a_large_link_in_pieces(client: httpx.Client) -> None:
    made = client.post("/api/v1/snippets", json={"source": LARGE}).json()
    address = f"/api/v1/snippets/{made['id']}"
    whole = client.get(address)
    assert len(whole.content) > PIECE_BYTES and whole.headers["content-encoding"] == "gzip"
    assert client.get(address, headers={"Accept-Encoding": "identity"}).content == whole.content
    apart = client.get(address, headers=PIECES).json()
    shown = apart["document"].pop("recording")
    trace = whole.json()["document"].pop("trace")
    assert apart == whole.json() | {
        "document": {key: value for key, value in whole.json()["document"].items() if key != "trace"}
    }

    answer = fetched(client, shown)
    lines = answer.content.splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= PIECE_BYTES + 100
    assert folded(lines) == decode_trace(json.dumps(trace).encode())
    assert "immutable" in answer.headers["cache-control"] and answer.headers["content-encoding"] == "gzip"
    assert answer.num_bytes_downloaded == int(answer.headers["content-length"]) < len(answer.content) / 1.5
    assert fetched(client, shown, **{"Accept-Encoding": "identity"}).content == answer.content
    same = client.get(f"/api/v1/recordings/{shown}", headers={"If-None-Match": answer.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")

    assert client.delete(address, headers={"X-Deletion-Token": made["deletion_token"]}).status_code == 204
    gone = client.get(f"/api/v1/recordings/{shown}")
    assert (gone.status_code, gone.json()["error"]) == (404, "unknown_recording"), "it goes with its last link"


def test_a_large_run_in_pieces(client: httpx.Client) -> None:
    accepting = {"Accept": f"{EVENTS['Accept']}, application/x-ndjson"}
    with client.stream("POST", "/api/v1/traces", json={"source": LARGE}, headers=accepting) as response:
        *_, (name, document) = events(response)
    assert name == "document" and "trace" not in document
    trace = folded(fetched(client, document["recording"]).content.splitlines())
    assert trace.source == LARGE and len(trace.steps) > 320
    with client.stream("POST", "/api/v1/traces", json={"source": LARGE}, headers=EVENTS) as response:
        *_, (name, document) = events(response)
    assert name == "document" and len(document["trace"]["steps"]) == len(trace.steps), "whole for who knows no pieces"


def test_a_small_document_is_whole_for_everybody(client: httpx.Client) -> None:
    for headers in ({}, PIECES):
        document = client.post("/api/v1/traces", json={"source": "x = 1"}, headers=headers).json()
        assert document["trace"]["source"] == "x = 1" and "recording" not in document


@pytest.mark.parametrize("name", ["0" * 64, "..%2f..%2fkey", "%00"])
def test_what_is_not_there(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/api/v1/recordings/{name}")
    assert (answer.status_code, answer.json()["error"]) in ((404, "unknown_recording"), (404, "not_found"))


async def test_what_was_said_is_kept_and_made_anew_by_another_explainer(tmp_path: Path) -> None:
    url, kept = f"sqlite+aiosqlite:///{tmp_path / 'store.sqlite'}", recording("x = 1")
    explainers = Explainers(2)
    store = await Store.open(url, 1 << 20)
    async with explainers.working():
        made = Explanations(explainers, store)
        said = await made.of(kept, "a")
        await store.keep("x = 1", 0, kept)
        await made.keep(kept.hash)
    later = Explanations(explainers, store)
    assert await later.kept(kept.hash) == said and not said.was_cut
    explanation = await store.explanation(kept.hash, explainer())
    assert explanation is not None
    await store.keep_explanation(kept.hash, "another", explanation)
    assert await Explanations(explainers, store).kept(kept.hash) is None
    await store.keep_explanation(kept.hash, explainer(), b"nonsense")
    assert await Explanations(explainers, store).kept(kept.hash) is None
    await store.close()


async def test_files_are_bounded_and_outlive_a_server(tmp_path: Path) -> None:
    files = PackedFiles(tmp_path, "one", 250)
    for name in "abc":
        path = await files.add(name, gzip.compress(name.encode() * 100) + b"\0" * 60)
        os.utime(path, (ord(name), ord(name)))
    assert files.find("a") is None and files.find("b") is not None, "the oldest went"
    (path.parent / "d.part").write_bytes(b"begun")
    again = PackedFiles(tmp_path, "one", 250)
    assert again.find("c") == path and not (path.parent / "d.part").exists()
    path.unlink()
    assert again.find("c") is None
    PackedFiles(tmp_path, "two", 250)
    assert os.listdir(tmp_path) == ["two"]


async def test_the_file_that_was_used_least_recently_goes(tmp_path: Path) -> None:
    files = PackedFiles(tmp_path, "one", 2)
    for name in "ab":
        await files.add(name, b"1")
    assert files.find("a") is not None
    await files.add("c", b"1")
    assert files.hashes() == ["a", "c"]


async def test_a_file_goes_with_the_last_link_of_its_recording(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}", 1 << 20)
    files = PackedFiles(tmp_path / "packed", "one", 1 << 20)
    recordings = Recordings(Explainers(1), store, files, Recent(1 << 20))
    links = [await store.keep(f"x = {number}", 0, recording(f"x = {number}")) for number in range(3)]
    hashes = [recording(f"x = {number}").hash for number in range(3)]
    paths = [await files.add(each, b"packed") for each in (*hashes, "a" * 64)]
    await store.links.delete(links[:1])
    await store.links.hold(links[1:2])
    await recordings.sweep()
    assert [path.exists() for path in paths] == [False, False, True, False]
    await store.links.delete(links[2:])
    await recordings.forget_unshown(hashes[2])
    assert files.hashes() == [] and not paths[2].exists()
    with pytest.raises(Problem, match="it may have been deleted"):
        await recordings.file(hashes[2], "a")
    await store.close()


def test_large_documents_in_memory_are_bounded() -> None:
    unsent = UnsentDocuments(100)
    first, second = Json(b"x" * 60), Json(b"x" * 60)
    assert unsent.take(first) and not unsent.take(second)
    del first
    assert unsent.take(second), "what was sent makes room"


async def test_large_answers_take_turns() -> None:
    turns = Turns(most=3, of_address=2, waiting_seconds=0.05)
    async with turns.turn("a"), turns.turn("a"):
        with pytest.raises(Problem) as refused:
            async with turns.turn("a"):
                pass
        assert (refused.value.status_code, refused.value.error) == (503, "busy")
        async with turns.turn("b"):
            with pytest.raises(Problem):
                async with turns.turn("c"):
                    pass
        waiting: asyncio.Future[Any] = asyncio.ensure_future(turns.turn("c").__aenter__())
        await waiting


async def test_a_recording_that_came_for_no_request_answers_the_one_that_asks() -> None:
    recent = Recent(1 << 20)
    made = recording("x = 1")
    recent.add(replace(made, request=""), 1.0, is_answer=False)
    found = await recent.get(made.hash, made.request)
    assert found == made
