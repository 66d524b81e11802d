"""The event stream of a run: its position in the queue, its progress, its document. Streams that are stopped, closed or not
read.
"""

import gzip
import json
import socket
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

import httpx
import pytest

from app.engine import Progress, Requester
from app.web.runs.pending_runs import PendingRun
from app.web.runs.run_streams import Packing
from tests.waiting import wait_until
from tests.web.server import Hosted, hosted
from tests.web.streaming import EVENTS, events

SOURCE = "import torch\nx = torch.ones(2)\ny = x * 2\n"
LOOP = "import torch\nx = torch.ones(2)\nwhile True:\n    x = x + 1\n"
SLEEP = "import time\ntime.sleep(1000)\n"


@pytest.fixture(scope="module")
def one_place() -> Iterator[Hosted]:
    """Start a server that allows one run at a time, without time limits."""
    limits = {"limits__wall_seconds": "600", "limits__cpu_seconds": "600", "limits__statements": "1000000"}
    with hosted(runs_in_flight="1", queue_seconds="300", **limits) as up:
        yield up


@pytest.fixture
def narrow(one_place: Hosted) -> Hosted:
    """Return the server `one_place` when no run is in progress."""
    one_place.quiet()
    return one_place


@contextmanager
def asking(server: Hosted, source: str, client: httpx.Client | None = None) -> Iterator[tuple[httpx.Client, Iterator[Any]]]:
    """Request a run as a new visitor. Yield the visitor's client and the events."""
    with (
        client or server.client() as requester,
        requester.stream("POST", "/api/v1/traces", json={"source": source}, headers=EVENTS) as response,
    ):
        assert response.status_code == 200, response.read()
        yield requester, events(response)


def test_a_run_as_events(client: httpx.Client) -> None:
    source = f"__import__('time').sleep(1)\n{SOURCE}"  # `sleep` lets the stream begin before the first statement has ended
    with client.stream("POST", "/api/v1/traces", json={"source": source}, headers=EVENTS) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-store, no-transform"
        assert response.headers["content-encoding"] == "gzip"
        names, bodies = zip(*events(response), strict=True)
    assert names[0] == "running" and names[-1] == "document"
    assert bodies[0].keys() == {"run", "line", "statements", "operators"}
    assert (bodies[0]["line"], bodies[0]["statements"], bodies[0]["operators"]) == (0, 0, 0)
    document = client.post("/api/v1/traces", json={"source": source}).json()
    assert bodies[-1].keys() == document.keys()
    assert bodies[-1]["trace"]["steps"] == document["trace"]["steps"]


@pytest.mark.parametrize("offer", ["identity", "gzip;q=0", "br"])
def test_not_packed_for_those_who_cannot_unpack(client: httpx.Client, offer: str) -> None:
    headers = {**EVENTS, "Accept-Encoding": offer}
    with client.stream("POST", "/api/v1/traces", json={"source": SOURCE}, headers=headers) as response:
        assert "content-encoding" not in response.headers
        assert [name for name, _ in events(response)][-1] == "document"


def test_what_is_packed_can_be_unpacked_piece_by_piece() -> None:
    packing, unpacker = Packing(), zlib.decompressobj(31)
    pieces = [
        packing.message(b"one "),
        packing.message(b"x" * 65535),
        b"".join(packing.last([b"last " * 60_000, b"last " * 40_000])),
    ]
    assert unpacker.decompress(pieces[0]) == b"one "
    assert unpacker.decompress(pieces[1]) == b"x" * 65535
    assert unpacker.decompress(pieces[2]) == b"last " * 100_000
    assert unpacker.eof and len(pieces[2]) < 10_000
    assert gzip.decompress(b"".join(pieces)) == b"one " + b"x" * 65535 + b"last " * 100_000
    assert gzip.decompress(b"".join(Packing().last([b"alone"]))) == b"alone"


class GoInflate:
    """Decompresses a gzip stream with the delays of Go 1.24's compress/flate, which some proxies use.

    Go returns data only at an empty stored block, when its window of 32 KiB is full, and at the end. This class accepts only
    stored blocks before the last block.
    """

    def __init__(self) -> None:
        self._input = b""
        self._has_header = False
        self._last = zlib.decompressobj(-zlib.MAX_WBITS)
        self._is_last = False
        self._held = b""
        self._given = 0

    def feed(self, content: bytes) -> bytes:
        self._input += content
        if not self._has_header and len(self._input) >= 10:
            assert self._input[:4] == b"\x1f\x8b\x08\x00"
            self._has_header, self._input = True, self._input[10:]
        is_flushed = False
        while self._has_header and not self._is_last and len(self._input) >= 5:
            kind, size, complement = struct.unpack_from("<BHH", self._input)
            if kind != 0:
                self._is_last = True
                break
            assert size ^ 0xFFFF == complement
            if len(self._input) < 5 + size:
                break
            self._held += self._input[5 : 5 + size]
            self._input = self._input[5 + size :]
            if size == 0:
                is_flushed = True
        if self._is_last:
            self._held += self._last.decompress(self._input)
            self._input = b""
        return self._hand_out(everything=is_flushed or self._last.eof)

    def _hand_out(self, everything: bool) -> bytes:
        count = len(self._held) if everything else (self._given + len(self._held)) // 32768 * 32768 - self._given
        given, self._held = self._held[: max(0, count)], self._held[max(0, count) :]
        self._given += len(given)
        return given


def test_a_decoder_that_hands_out_only_what_is_flushed_has_each_piece() -> None:
    packing, decoder = Packing(), GoInflate()
    for content in (b"one ", b"two ", b"x" * 40_000, b"three "):
        assert decoder.feed(packing.message(content)) == content
    assert decoder.feed(b"".join(packing.last([b"last " * 60_000, b"last " * 40_000]))) == b"last " * 100_000
    alone = GoInflate()
    assert b"".join(map(alone.feed, (bytes([each]) for each in b"".join(Packing().last([b"alone"]))))) == b"alone"


def test_how_far_it_is(narrow: Hosted) -> None:
    with asking(narrow, LOOP) as (client, told):
        progress = [next(told)[1] for _ in range(4)]
        while progress[-1]["operators"] < 2:
            progress.append(next(told)[1])
        statements = [each["statements"] for each in progress]
        assert statements == sorted(set(statements)), "each says something new"
        assert progress[-1]["line"] in (3, 4) and progress[-1]["operators"] > 1
        assert client.delete(f"/api/v1/runs/{progress[0]['run']}").status_code == 204
        *_, (name, document) = told
    assert name == "document"
    assert document["trace"]["ended"] == {"kind": "cancelled"}
    assert document["end_arguments"] == {}
    assert sum(step["kind"] == "statement" for step in document["trace"]["steps"]) >= statements[-1]


def test_the_place_in_the_queue(narrow: Hosted) -> None:
    with asking(narrow, SLEEP) as (first, of_first):
        name, begun = next(of_first)
        assert name == "running"
        with asking(narrow, SOURCE) as (_, of_second), asking(narrow, SOURCE) as (_, of_third):
            assert [(name, each["position"]) for name, each in (next(of_second), next(of_third))] == [
                ("queued", 1),
                ("queued", 2),
            ]
            assert first.delete(f"/api/v1/runs/{begun['run']}").status_code == 204
            assert [name for name, _ in groupby(of_second, itemgetter(0))] == ["running", "document"]
            *before, (last, _) = of_third
            assert last == "document"
            assert [each["position"] for name, each in before if name == "queued"] in ([1], [])
        *_, (_, document) = of_first
        assert document["trace"]["ended"] == {"kind": "cancelled"}


def test_a_run_that_waits_can_be_stopped(narrow: Hosted) -> None:
    with asking(narrow, SLEEP) as (first, of_first):
        _, begun = next(of_first)
        with asking(narrow, SOURCE) as (second, of_second):
            _, waits = next(of_second)
            assert second.delete(f"/api/v1/runs/{waits['run']}").status_code == 204
            ((name, error),) = of_second
            assert (name, error["error"]) == ("error", "cancelled")
            assert error.keys() == {"error", "message", "hint"}
            assert second.delete(f"/api/v1/runs/{waits['run']}").status_code == 404, "it is over"
        assert first.get("/api/v1/health").json()["waiting"] == 0
        first.delete(f"/api/v1/runs/{begun['run']}")


def test_nobody_stops_the_run_of_somebody_else(narrow: Hosted) -> None:
    with asking(narrow, SLEEP) as (first, of_first), narrow.client() as other:
        _, begun = next(of_first)
        for run in (begun["run"], "0" * 16, "x", "%00"):
            response = other.delete(f"/api/v1/runs/{run}")
            assert (response.status_code, response.json()["error"]) == (404, "unknown_run")
        other.cookies.set("stepgrad_visitor", first.cookies["stepgrad_visitor"] + "x")
        assert other.delete(f"/api/v1/runs/{begun['run']}").status_code == 404
        assert first.delete(f"/api/v1/runs/{begun['run']}").status_code == 204


def test_a_third_run_of_one_visitor_is_refused(narrow: Hosted) -> None:
    with asking(narrow, SLEEP) as (client, of_first):
        _, begun = next(of_first)
        with asking(narrow, SOURCE, same(narrow, client)) as (_, of_second):
            assert next(of_second)[0] == "queued"
            for headers in (EVENTS, {}):
                refused = client.post("/api/v1/traces", json={"source": SOURCE}, headers=headers)
                assert (refused.status_code, refused.json()["error"]) == (429, "visitor_busy")
                assert refused.json()["message"].startswith("You already have an active run")
                assert int(refused.headers["retry-after"]) >= 1
            client.delete(f"/api/v1/runs/{begun['run']}")
            assert [name for name, _ in groupby(of_second, itemgetter(0))] == ["running", "document"]


def same(server: Hosted, client: httpx.Client) -> httpx.Client:
    """Return another client of the same visitor."""
    other = server.client()
    other.cookies.update(client.cookies)
    return other


def test_hanging_up_ends_a_run_and_leaves_the_queue(narrow: Hosted) -> None:
    with narrow.client() as watching:
        with asking(narrow, SLEEP) as (_, of_first):
            next(of_first)
            with asking(narrow, SLEEP) as (_, of_second):
                next(of_second)
                assert watching.get("/api/v1/health").json()["waiting"] == 1
        assert watching.post("/api/v1/traces", json={"source": SOURCE}).status_code == 200, "there is a place again"
    narrow.quiet()


def test_whoever_hangs_up_has_a_line_in_the_log(narrow: Hosted) -> None:
    url, body = httpx.URL(narrow.url), json.dumps({"source": SLEEP}).encode()
    head = (
        "POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    before = len(narrow.log.read_text().splitlines())
    with narrow.client() as watching:
        with socket.create_connection((url.host, url.port or 80)) as leaving:
            leaving.sendall(head.encode() + body)
            wait_until(lambda: watching.get("/api/v1/health").json()["running"])
        assert watching.post("/api/v1/traces", json={"source": SOURCE}).status_code == 200
    lines = [json.loads(line) for line in narrow.log.read_text().splitlines()[before:]]
    assert [line["ended"] for line in lines] == ["gone", "finished"]


def test_refused_after_it_waited(server: Hosted) -> None:
    with hosted(runs_in_flight="1", queue_seconds="0.3", limits__wall_seconds="60") as up:
        with asking(up, SLEEP) as (_, of_first):
            next(of_first)
            with asking(up, SOURCE) as (_, of_second):
                (first, _), (last, error) = of_second
                assert (first, last, error["error"]) == ("queued", "error", "busy")
                assert error["retry_after"] >= 1
        metrics = httpx.get(f"{up.url}/metrics", verify=False).text
        assert 'stepgrad_refusals_total{reason="wait"} 1.0' in metrics
        assert "stepgrad_wait_seconds_count" in metrics


async def test_only_the_latest_news_are_kept() -> None:
    """If nobody reads the stream of a run, its progress events do not accumulate."""
    pending = PendingRun(Requester(visitor="visitor", address="192.0.2.1"))
    assert pending.take() is None and not pending.changed.done()
    pending.queued(2)
    for statements in range(10_000):
        pending.running(Progress(statements=statements))
    assert pending.changed.done()
    assert (pending.take(), pending.take()) == (Progress(statements=9_999), None)
    assert not pending.changed.done()


def test_a_client_that_never_reads_keeps_nobody_waiting(narrow: Hosted) -> None:
    """The client sends a request and reads no response. The run continues to its end, and the next run starts."""
    url = httpx.URL(narrow.url)
    body = b'{"source": "import time\\nfor i in range(2000):\\n    x = i\\n"}'
    head = (
        f"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: {EVENTS['Accept']}\r\n"
    )
    with socket.socket() as deaf, suppress(ConnectionError):
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect((url.host, url.port or 80))
        deaf.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        with narrow.client() as client:
            assert client.post("/api/v1/traces", json={"source": SOURCE}).status_code == 200


def test_a_cancelled_run_is_nobodys_answer(narrow: Hosted) -> None:
    source = "import time\nx = 1\nwhile x:\n    time.sleep(0.01)\n    x = x + 1 if x < 100 else 0\n"
    with asking(narrow, source) as (client, told):
        _, begun = next(told)
        client.delete(f"/api/v1/runs/{begun['run']}")
        *_, (_, document) = told
        assert document["trace"]["ended"] == {"kind": "cancelled"}
        snippet_id = client.post("/api/v1/snippets", json={"source": source}).json()["id"]
        shared = client.get(f"/api/v1/snippets/{snippet_id}").json()
        assert shared["document"]["trace"]["ended"] == {"kind": "finished"}
