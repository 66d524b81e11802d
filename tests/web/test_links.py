"""Shared links return the recording that the server made. The server records again only if the trace format has changed."""

import hashlib
import re
import sqlite3
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.trace.records import FORMAT
from tests.web.server import Running, hosted
from tests.web.streaming import EVENTS, events

RANDOM = "import os\nimport torch\nx = torch.tensor(list(os.urandom(8)))\nprint(x)\n"
SHAPES = "import os, torch\nx = torch.ones(1 + int.from_bytes(os.urandom(2)))\n"
"""A snippet with a random shape, so that every run has another picture."""
SET_FORMAT = "UPDATE recordings SET format = ? WHERE hash = (SELECT recording FROM snippets WHERE id = ?)"


def share(client: httpx.Client, source: str, seed: int = 0) -> str:
    response = client.post("/api/v1/snippets", json={"source": source, "seed": seed})
    assert response.status_code == 201, response.text
    link = response.json()
    assert re.fullmatch(r"[A-Za-z0-9]{11}", link["id"])
    assert link["url"] == f"/s/{link['id']}"
    assert response.headers["location"] == f"/api/v1/snippets/{link['id']}"
    return str(link["id"])


@pytest.fixture
def database(server: Running) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(server.data / "stepgrad.sqlite")
    yield connection
    connection.close()


def test_a_link_shows_the_same_bytes_for_ever(client: httpx.Client) -> None:
    snippet_id = share(client, "import time\nprint(time.time_ns())\n")
    first = client.get(f"/api/v1/snippets/{snippet_id}")
    assert first.json()["source"] == "import time\nprint(time.time_ns())\n"
    assert "notice" not in first.json()
    for _ in range(3):
        assert client.get(f"/api/v1/snippets/{snippet_id}").content == first.content


def run(client: httpx.Client, source: str) -> tuple[dict[str, Any], str]:
    """Run a snippet. Return the document without the recording's token, and the token."""
    document = client.post("/api/v1/traces", json={"source": source}).raise_for_status().json()
    return document, document.pop("recording_token")


def test_share_keeps_the_very_run_that_was_seen(server: Running) -> None:
    """Another visitor runs the same code later and gets another result."""
    with server.client() as client, server.client() as other:
        (seen, token), (later, _) = run(client, SHAPES), run(other, SHAPES)
        assert seen != later
        body = {"source": SHAPES, "recording_token": token}
        link = client.post("/api/v1/snippets", json=body).raise_for_status().json()["id"]
        assert client.get(f"/api/v1/snippets/{link}").json()["document"] == seen
        assert other.get(f"/api/v1/snippets/{share(other, SHAPES)}").json()["document"] == later
        wanted = {"picture": "memory", "format": "dot"}
        drawn = client.post("/api/v1/pictures", json={**body, **wanted}).raise_for_status()
        assert drawn.text == client.post(f"/api/v1/snippets/{link}/picture", json=wanted).text
        assert drawn.text != other.post("/api/v1/pictures", json={"source": SHAPES, **wanted}).text


def test_a_run_that_was_stopped_is_shared_as_it_was_seen(server: Running) -> None:
    with server.client() as client:
        source = "import time\nx = 1\ntime.sleep(1000)\n"
        with client.stream("POST", "/api/v1/traces", json={"source": source}, headers=EVENTS) as response:
            told = events(response)
            going = next(each["run"] for name, each in told if name == "running" and each["line"] >= 1)
            client.delete(f"/api/v1/runs/{going}")
            *_, (_, document) = told
        token = document.pop("recording_token")
        link = client.post("/api/v1/snippets", json={"source": source, "recording_token": token}).raise_for_status().json()
        for _ in range(2):
            shown = client.get(f"/api/v1/snippets/{link['id']}").json()
            assert (shown["document"], shown.get("notice")) == (document, None)


@pytest.mark.parametrize("path", ["snippets", "pictures", "trials", "right"])
def test_a_token_is_its_visitors_for_that_text_alone(server: Running, path: str) -> None:
    with server.client() as client, server.client() as other:
        _, token = run(client, "x = 1\n")
        run(other, "x = 1\n")
        for asks, source, named in (
            (other, "x = 1\n", token),
            (client, "x = 2\n", token),
            (client, "x = 1\n", f"{'0' * 64}{token[64:]}"),
        ):
            answer = asks.post(f"/api/v1/{path}", json={"source": source, "recording_token": named})
            assert (answer.status_code, answer.json()["error"]) == (404, "recording_gone")
        assert client.post(f"/api/v1/{path}", json={"source": "x = 1\n", "recording_token": "x"}).status_code == 422


def test_a_recording_that_others_took_the_place_of_is_gone() -> None:
    with hosted(recent_bytes="1") as narrow, narrow.client() as client:
        document, token = run(client, RANDOM)
        body = {"source": RANDOM, "recording_token": token}
        link = client.post("/api/v1/snippets", json=body).raise_for_status().json()["id"]
        run(client, "x = 1\n")
        assert client.post("/api/v1/snippets", json=body).status_code == 201, "a link shows it"
        assert client.get(f"/api/v1/snippets/{link}").json()["document"] == document
        _, token = run(client, RANDOM)
        run(client, "x = 1\n")
        gone = client.post("/api/v1/snippets", json={"source": RANDOM, "recording_token": token})
        assert (gone.status_code, gone.json()["error"]) == (404, "recording_gone")


def test_an_old_link_whose_run_ended_by_accident_is_run_again(client: httpx.Client, database: sqlite3.Connection) -> None:
    source = "import time\nx = time.time_ns()\n# of before\n"
    snippet_id = share(client, source)
    (packed,) = database.execute(
        "SELECT trace FROM recordings JOIN snippets ON recording = hash WHERE id = ?", (snippet_id,)
    ).fetchone()
    killed = b'"ended":{"kind":"crashed","signal":9,"name":"SIGKILL"}'
    trace = zlib.decompress(packed).replace(b'"ended":{"kind":"finished"}', killed)
    assert killed in trace
    row = (hashlib.sha256(trace).hexdigest(), "r", FORMAT, 1, "2026-01-01 00:00:00.000000", zlib.compress(trace))
    with database:
        database.execute("INSERT INTO recordings (hash, request, format, bytes, created, trace) VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute("UPDATE snippets SET recording = ? WHERE id = ?", (row[0], snippet_id))
    address = f"/api/v1/snippets/{snippet_id}"
    assert client.get(address).json()["document"]["trace"]["ended"]["kind"] == "crashed", "its sharer chose it"
    with database:
        database.execute("UPDATE snippets SET chosen = 0 WHERE id = ?", (snippet_id,))
    assert client.get(f"{address}?again=false").json()["document"]["trace"]["ended"]["kind"] == "crashed"
    again = client.get(address).json()
    assert (again["document"]["trace"]["ended"]["kind"], again["notice"]["kind"]) == ("finished", "recorded_again")
    assert client.get(address).json() == again, "and only once"


def test_the_same_snippet_shared_twice_is_recorded_once(client: httpx.Client, database: sqlite3.Connection) -> None:
    source = RANDOM + "# twice\n"
    ids = [share(client, source) for _ in range(2)]
    assert ids[0] != ids[1]
    rows = database.execute("SELECT DISTINCT recording FROM snippets WHERE source = ?", (source,)).fetchall()
    assert len(rows) == 1


def test_another_seed_is_another_recording(client: httpx.Client) -> None:
    source = "import torch\nprint(torch.rand(3))\n"
    one, other = (client.get(f"/api/v1/snippets/{share(client, source, seed)}").json() for seed in (1, 2))
    assert (one["seed"], other["seed"]) == (1, 2)
    assert one["document"]["trace"]["outputs"] != other["document"]["trace"]["outputs"]


def test_a_link_keeps_whether_the_cpu_stood_in(client: httpx.Client, database: sqlite3.Connection) -> None:
    body = {"source": 'import torch\nx = torch.ones(1, device="cuda")\n'}
    without, with_it = (
        client.post("/api/v1/snippets", json={**body, **more}).json()["id"] for more in ({}, {"stand_in": True})
    )
    assert "stand_in" not in client.get(f"/api/v1/snippets/{without}").json()
    shared = client.get(f"/api/v1/snippets/{with_it}").json()
    assert shared["stand_in"] and shared["document"]["trace"]["header"]["stand_in"]
    assert shared["document"]["trace"]["ended"]["kind"] == "finished"
    with database:
        database.execute(SET_FORMAT, (0, with_it))
    again = client.get(f"/api/v1/snippets/{with_it}").json()
    assert (again["notice"]["kind"], again["stand_in"]) == ("recorded_again", True)
    assert again["document"]["trace"]["ended"]["kind"] == "finished", "it is recorded again in the same way"


def test_clients_cannot_hand_in_a_recording(client: httpx.Client) -> None:
    response = client.post("/api/v1/snippets", json={"source": "x = 1", "document": {"trace": {}, "findings": []}})
    assert (response.status_code, response.json()["error"]) == (422, "invalid")


def test_an_older_format_is_recorded_again_and_says_so(client: httpx.Client, database: sqlite3.Connection) -> None:
    source = RANDOM + "# older\n"
    snippet_id = share(client, source)
    with database:
        database.execute(SET_FORMAT, (0, snippet_id))
    first = client.get(f"/api/v1/snippets/{snippet_id}").json()
    assert first["notice"]["kind"] == "recorded_again"
    assert first["notice"]["message"].endswith(".")
    assert first["document"]["trace"]["header"]["format"] == FORMAT
    assert client.get(f"/api/v1/snippets/{snippet_id}").json() == first, "and only once"


def test_a_recording_that_no_longer_reads_is_made_again(client: httpx.Client, database: sqlite3.Connection) -> None:
    snippet_id = share(client, RANDOM + "# unreadable\n")
    other = b'{"source":"","header":{},"surprise":1}'
    row = (hashlib.sha256(other).hexdigest(), "r", FORMAT, 1, "2026-01-01 00:00:00.000000", zlib.compress(other))
    with database:
        database.execute("INSERT INTO recordings (hash, request, format, bytes, created, trace) VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute("UPDATE snippets SET recording = ? WHERE id = ?", (row[0], snippet_id))
    assert client.get(f"/api/v1/snippets/{snippet_id}").json()["notice"]["kind"] == "recorded_again"


def test_a_newer_format_is_told(client: httpx.Client, database: sqlite3.Connection) -> None:
    snippet_id = share(client, RANDOM + "# newer\n")
    with database:
        database.execute(SET_FORMAT, (99, snippet_id))
    response = client.get(f"/api/v1/snippets/{snippet_id}")
    assert (response.status_code, response.json()["error"]) == (503, "newer_recording")


def test_a_snippet_that_raised_can_be_shared(client: httpx.Client) -> None:
    shared = client.get(f"/api/v1/snippets/{share(client, '1 / 0')}").json()
    assert shared["document"]["trace"]["ended"]["kind"] == "raised"


def head_of(client: httpx.Client, snippet_id: str) -> str:
    return client.get(f"/s/{snippet_id}", headers={"accept-language": "en"}).text.partition("</head>")[0]


def test_a_link_has_a_title_an_author_and_the_link_it_was_changed_from(client: httpx.Client) -> None:
    heading = {"title": "  What detach()\n shares ", "author": "Week 3"}
    parent = client.post("/api/v1/snippets", json={"source": "x = 1\n", **heading}).json()["id"]
    shared = client.get(f"/api/v1/snippets/{parent}").json()
    assert (shared["title"], shared["author"]) == ("What detach() shares", "Week 3") and "parent" not in shared
    fork = client.post("/api/v1/snippets", json={"source": "x = 2\n", "parent": parent}).json()
    shared = client.get(f"/api/v1/snippets/{fork['id']}").json()
    assert shared["parent"] == {"id": parent, "title": "What detach() shares", "author": "Week 3"}
    assert "title" not in shared and "author" not in shared


def test_whoever_made_a_link_changes_what_stands_above_it(client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": "x = 1\n", "title": "before"}).json()
    address, token = f"/api/v1/snippets/{link['id']}", {"x-deletion-token": link["deletion_token"]}
    heading = {"title": "多言語 🙂", "author": "Week 3"}
    assert client.patch(address, json=heading, headers=token).status_code == 204
    shared = client.get(address).json()
    assert (shared["title"], shared["author"]) == ("多言語 🙂", "Week 3")
    assert client.patch(address, json={"title": "", "author": ""}, headers=token).status_code == 204
    assert "title" not in client.get(address).json()
    assert client.patch(address, json=heading, headers={"x-deletion-token": "x"}).status_code == 403
    assert client.patch("/api/v1/snippets/nothing", json=heading, headers=token).status_code == 404
    assert client.patch(address, json={"title": "a\0b", "author": ""}, headers=token).json()["error"] == "not_text"


def test_a_parent_that_is_gone_or_held_back_is_not_told(client: httpx.Client, database: sqlite3.Connection) -> None:
    parent = client.post("/api/v1/snippets", json={"source": "x = 1\n", "title": "first"}).json()
    fork = client.post("/api/v1/snippets", json={"source": "x = 2\n", "parent": parent["id"]}).json()["id"]
    hold = "UPDATE snippets SET held = ? WHERE id = ?"
    with database:
        database.execute(hold, ("2026-01-01 00:00:00.000000", parent["id"]))
    assert "parent" not in client.get(f"/api/v1/snippets/{fork}").json()
    with database:
        database.execute(hold, (None, parent["id"]))
    assert client.get(f"/api/v1/snippets/{fork}").json()["parent"]["title"] == "first"
    token = {"x-deletion-token": parent["deletion_token"]}
    assert client.delete(f"/api/v1/snippets/{parent['id']}", headers=token).status_code == 204
    assert "parent" not in client.get(f"/api/v1/snippets/{fork}").json()
    later = client.post("/api/v1/snippets", json={"source": "x = 3\n", "parent": parent["id"]}).json()["id"]
    assert "parent" not in client.get(f"/api/v1/snippets/{later}").json()


def test_the_page_of_a_link_has_the_sharers_title_in_its_head(client: httpx.Client) -> None:
    heading = {"title": "What detach() shares", "author": "Week 3"}
    titled = client.post("/api/v1/snippets", json={"source": "x = 1\n", **heading}).json()["id"]
    assert "<title>What detach() shares · Stepgrad</title>" in head_of(client, titled)
    assert 'content="Shared by “Week 3”. A PyTorch snippet that' in head_of(client, titled)
    assert "<title>x = 1 · Stepgrad</title>" in head_of(client, share(client, "x = 1\n"))


def test_hostile_words_of_a_sharer_are_text(client: httpx.Client) -> None:
    evil = '</title><script>alert(1)</script>"><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202egnp.exe\u200b\x00'
    refused = client.post("/api/v1/snippets", json={"source": "x = 1\n", "title": evil})
    assert refused.status_code == 422 and refused.json()["error"] == "not_text"
    heading = {"title": evil[:-1], "author": evil[:60]}
    head = head_of(client, client.post("/api/v1/snippets", json={"source": "x = 1\n", **heading}).json()["id"])
    assert "<script>alert" not in head and "<img" not in head and "49" not in re.findall("<title>(.*?)</title>", head)[0]
    assert "\u202e" not in head and "\\u202egnp.exe\\u200b" in head


@pytest.mark.parametrize(
    "heading",
    [{"title": "x" * 121}, {"author": "x" * 81}, {"title": 1}, {"parent": "../../etc"}, {"parent": "a\nb"}, {"titel": "x"}],
)
def test_a_heading_that_is_none_is_refused_in_a_sentence(client: httpx.Client, heading: dict[str, object]) -> None:
    refused = client.post("/api/v1/snippets", json={"source": "x = 1\n", **heading})
    assert refused.status_code == 422
    assert next(iter(heading)) in refused.json()["message"]
