"""Share links: the server's own recording, the same bytes for ever, made again only when the format changed."""

import hashlib
import re
import sqlite3
import zlib
from collections.abc import Iterator

import httpx
import pytest

from app.trace.records import FORMAT
from tests.web.server import Running

RANDOM = "import random, time\nimport torch\nx = torch.tensor([random.random(), time.time()])\nprint(x)\n"
SET_FORMAT = "UPDATE recordings SET format = ? WHERE hash = (SELECT recording FROM snippets WHERE id = ?)"


def share(client: httpx.Client, source: str, seed: int = 0) -> str:
    response = client.post("/api/snippets", json={"source": source, "seed": seed})
    assert response.status_code == 201, response.text
    link = response.json()
    assert re.fullmatch(r"[A-Za-z0-9]{10}", link["id"])
    assert link["url"] == f"/s/{link['id']}"
    assert response.headers["location"] == f"/api/snippets/{link['id']}"
    return str(link["id"])


@pytest.fixture
def database(server: Running) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(server.data / "stepgrad.sqlite")
    yield connection
    connection.close()


def test_a_link_shows_the_same_bytes_for_ever(client: httpx.Client) -> None:
    snippet_id = share(client, "import time\nprint(time.time_ns())\n")
    first = client.get(f"/api/snippets/{snippet_id}")
    assert first.json()["source"] == "import time\nprint(time.time_ns())\n"
    assert "notice" not in first.json()
    for _ in range(3):
        assert client.get(f"/api/snippets/{snippet_id}").content == first.content


def test_share_keeps_the_very_run_that_was_seen(client: httpx.Client) -> None:
    seen = client.post("/api/traces", json={"source": RANDOM}).json()
    shared = client.get(f"/api/snippets/{share(client, RANDOM)}").json()
    assert shared["document"] == seen


def test_the_same_snippet_shared_twice_is_recorded_once(client: httpx.Client, database: sqlite3.Connection) -> None:
    source = RANDOM + "# twice\n"
    ids = [share(client, source) for _ in range(2)]
    assert ids[0] != ids[1]
    rows = database.execute("SELECT DISTINCT recording FROM snippets WHERE source = ?", (source,)).fetchall()
    assert len(rows) == 1


def test_another_seed_is_another_recording(client: httpx.Client) -> None:
    source = "import torch\nprint(torch.rand(3))\n"
    one, other = (client.get(f"/api/snippets/{share(client, source, seed)}").json() for seed in (1, 2))
    assert (one["seed"], other["seed"]) == (1, 2)
    assert one["document"]["trace"]["outputs"] != other["document"]["trace"]["outputs"]


def test_a_link_keeps_whether_the_cpu_stood_in(client: httpx.Client, database: sqlite3.Connection) -> None:
    body = {"source": 'import torch\nx = torch.ones(1, device="cuda")\n'}
    without, with_it = (client.post("/api/snippets", json={**body, **more}).json()["id"] for more in ({}, {"stand_in": True}))
    assert "stand_in" not in client.get(f"/api/snippets/{without}").json()
    shared = client.get(f"/api/snippets/{with_it}").json()
    assert shared["stand_in"] and shared["document"]["trace"]["header"]["stand_in"]
    assert shared["document"]["trace"]["ended"]["kind"] == "finished"
    with database:
        database.execute(SET_FORMAT, (0, with_it))
    again = client.get(f"/api/snippets/{with_it}").json()
    assert (again["notice"]["kind"], again["stand_in"]) == ("recorded_again", True)
    assert again["document"]["trace"]["ended"]["kind"] == "finished", "it is recorded again in the same way"


def test_clients_cannot_hand_in_a_recording(client: httpx.Client) -> None:
    response = client.post("/api/snippets", json={"source": "x = 1", "document": {"trace": {}, "findings": []}})
    assert (response.status_code, response.json()["error"]) == (422, "invalid")


def test_an_older_format_is_recorded_again_and_says_so(client: httpx.Client, database: sqlite3.Connection) -> None:
    source = RANDOM + "# older\n"
    snippet_id = share(client, source)
    with database:
        database.execute(SET_FORMAT, (0, snippet_id))
    first = client.get(f"/api/snippets/{snippet_id}").json()
    assert first["notice"]["kind"] == "recorded_again"
    assert first["notice"]["message"].endswith(".")
    assert first["document"]["trace"]["header"]["format"] == FORMAT
    assert client.get(f"/api/snippets/{snippet_id}").json() == first, "and only once"


def test_a_recording_that_no_longer_reads_is_made_again(client: httpx.Client, database: sqlite3.Connection) -> None:
    snippet_id = share(client, RANDOM + "# unreadable\n")
    other = b'{"source":"","header":{},"surprise":1}'
    row = (hashlib.sha256(other).hexdigest(), "r", FORMAT, 1, "2026-01-01 00:00:00.000000", zlib.compress(other))
    with database:
        database.execute("INSERT INTO recordings (hash, request, format, bytes, created, trace) VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute("UPDATE snippets SET recording = ? WHERE id = ?", (row[0], snippet_id))
    assert client.get(f"/api/snippets/{snippet_id}").json()["notice"]["kind"] == "recorded_again"


def test_a_newer_format_is_told(client: httpx.Client, database: sqlite3.Connection) -> None:
    snippet_id = share(client, RANDOM + "# newer\n")
    with database:
        database.execute(SET_FORMAT, (99, snippet_id))
    response = client.get(f"/api/snippets/{snippet_id}")
    assert (response.status_code, response.json()["error"]) == (503, "newer_recording")


def test_a_snippet_that_raised_can_be_shared(client: httpx.Client) -> None:
    shared = client.get(f"/api/snippets/{share(client, '1 / 0')}").json()
    assert shared["document"]["trace"]["ended"]["kind"] == "raised"
