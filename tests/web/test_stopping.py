"""A stopping server finishes current runs and refuses new requests. A second signal stops the server immediately."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import httpx

from app.words import sentence
from tests.sandbox.processes import PATIENCE
from tests.web.server import Running, running
from tests.web.streaming import EVENTS
from tests.web.test_streams import SLEEP, SOURCE, asking

LONG = {"limits__wall_seconds": "600", "limits__cpu_seconds": "600", "visitor_burst": "1e6", "address_burst": "1e6"}


def is_gone(up: Running) -> bool:
    return up.process.wait(PATIENCE) == -signal.SIGTERM


def refused(client: httpx.Client) -> httpx.Response:
    """Send requests until one is refused, and return its response."""
    while (answer := client.get("/", headers={"Accept": "text/html"})).status_code == 200:
        pass
    return answer


def test_what_is_under_way_may_end_and_what_comes_is_refused() -> None:
    with running(runs_in_flight="2", drain_seconds="600", **LONG) as up:
        short = "import time\ntime.sleep(1)\n"
        with asking(up, SLEEP) as (_, of_endless), asking(up, short) as (_, of_short), up.client() as newcomer:
            assert [next(of_endless)[0], next(of_short)[0]] == ["running", "running"]
            up.process.terminate()
            page = refused(newcomer)
            assert (page.status_code, page.headers["retry-after"]) == (503, "10")
            assert sentence("en", "error-stopping").partition(":")[0] in page.text
            for headers in ({}, EVENTS):
                answer = newcomer.post("/api/v1/traces", json={"source": SOURCE}, headers=headers)
                assert (answer.status_code, answer.json()["error"], answer.headers["retry-after"]) == (503, "stopping", "10")
            *_, (name, document) = of_short
            assert (name, document["trace"]["ended"]) == ("document", {"kind": "finished"})
            assert up.process.poll() is None, "the other one still goes"
            up.process.terminate()
            assert is_gone(up)


def test_notice_is_given_before_anything_is_refused() -> None:
    """The health check fails as soon as the server is told to stop, but other requests succeed until the notice period ends."""
    with (
        running(notice_seconds="3", drain_seconds="600", **LONG) as up,
        up.client() as client,
        asking(up, SLEEP) as (_, of_endless),
    ):
        assert next(of_endless)[0] == "running"
        up.process.terminate()
        began = time.monotonic()
        while (health := client.get("/api/v1/health")).status_code == 200:
            assert time.monotonic() - began < PATIENCE
        assert (health.status_code, health.json()["error"]) == (503, "stopping")
        served = client.post("/api/v1/traces", json={"source": SOURCE})
        assert served.status_code == 200 or time.monotonic() - began > 3, served.text
        assert refused(client).status_code == 503
        assert time.monotonic() - began >= 3
        up.process.terminate()
        assert is_gone(up)


def test_what_takes_too_long_is_ended_with_an_answer() -> None:
    def posted(path: str, source: str) -> httpx.Response:
        with up.client() as client:
            return client.post(path, json={"source": source})

    with running(runs_in_flight="2", drain_seconds="0", **LONG) as up, up.client() as client, ThreadPoolExecutor(2) as pool:
        with asking(up, SLEEP) as (_, of_running):
            assert next(of_running)[0] == "running"
            share = pool.submit(posted, "/api/v1/snippets", SLEEP)
            while client.get("/api/v1/health").json()["running"] < 2:
                pass
            with asking(up, SOURCE) as (_, of_waiting):
                assert next(of_waiting)[0] == "queued"
                plain = pool.submit(posted, "/api/v1/traces", SOURCE)
                while client.get("/api/v1/health").json()["waiting"] < 2:
                    pass
                up.process.terminate()
                *_, (name, document) = of_running
                assert (name, document["trace"]["ended"]) == ("document", {"kind": "cancelled"})
                *_, (name, error) = of_waiting
                assert (name, error["error"], error["retry_after"]) == ("error", "stopping", 10)
            for answer in (plain.result(PATIENCE), share.result(PATIENCE)):
                assert (answer.status_code, answer.json()["error"], answer.headers["retry-after"]) == (503, "stopping", "10")
        assert is_gone(up)
        assert '"bug"' not in up.log.read_text()
