"""Health checks report services that do not respond. Concurrent deep checks share one run."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import msgspec
import pytest

from app.commands.health_client import check
from app.engine import Admission, Capacity, Refused, Requester
from app.errors import CommandError
from app.sandbox import SandboxDied
from app.trace.ends import Ended, Finished, TimedOut
from app.trace.records import Limits
from app.web.operations.deep_check import DEEP_SECONDS, FRESH_SECONDS, SPARE_SECONDS, DeepCheck, standstill
from app.web.operations.openapi import example_document
from app.web.runs.documents import Json
from app.web.runs.pending_runs import PendingRun
from tests.sandbox.processes import PATIENCE
from tests.web.server import Running

LIMITS = Limits(wall_seconds=1)
LONG = 2 * LIMITS.wall_seconds + SPARE_SECONDS


class Answering:
    """A service for runs that end with `answer` when the test sets `may_end`."""

    def __init__(self, answer: Ended | Exception, unfinished: int = 0) -> None:
        self.answer = answer
        self.unfinished = unfinished
        self.sources: set[str] = set()
        self.may_end = asyncio.Event()
        self.begun = 0

    async def run(self, source: str, seed: int, stand_in: bool, pending: PendingRun) -> Any:
        self.begun += 1
        self.sources.add(source)
        await self.may_end.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        document = example_document()
        ended = msgspec.structs.replace(document.trace, ended=self.answer)
        return Json(msgspec.json.encode(msgspec.structs.replace(document, trace=ended, unfinished=self.unfinished)))


async def test_one_run_answers_all_who_ask() -> None:
    runs = Answering(Finished())
    check = DeepCheck(runs)  # type: ignore[arg-type]
    asking = [asyncio.ensure_future(check.trouble()) for _ in range(5)]
    await asyncio.sleep(0)
    asking[0].cancel()
    runs.may_end.set()
    assert await asyncio.gather(*asking[1:]) == [None] * 4
    assert await check.trouble() is None and runs.begun == 1
    check._ended -= FRESH_SECONDS + 1
    assert await check.trouble() is None and runs.begun == 2
    assert len(runs.sources) == 2, "what is said of the same run would be remembered"


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Finished(), None),
        (Refused("queue", "Full.", 7), None),
        (SandboxDied("The sandbox died."), "The sandbox died."),
        (TimedOut(clock="wall", seconds=8.0), "A snippet of three lines ended as timed_out."),
        (ZeroDivisionError("inner"), "A bug in Stepgrad; the log has the details."),
    ],
)
async def test_what_the_deep_check_says(answer: Ended | Exception, trouble: str | None) -> None:
    runs = Answering(answer)
    runs.may_end.set()
    assert await DeepCheck(runs).trouble() == trouble  # type: ignore[arg-type]


async def test_explainers_that_do_not_answer_are_told() -> None:
    runs = Answering(Finished(), unfinished=3)
    runs.may_end.set()
    assert await DeepCheck(runs).trouble() == "A snippet of three lines was explained only partly."  # type: ignore[arg-type]


async def test_a_run_that_never_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.operations.deep_check.DEEP_SECONDS", 0.01)
    trouble = await DeepCheck(Answering(Finished())).trouble()  # type: ignore[arg-type]
    assert trouble == "A snippet of three lines had no result after 0.01 s."
    assert DEEP_SECONDS > 30


async def test_runs_that_do_not_end_are_a_standstill() -> None:
    admission = Admission(Capacity(slots=1, queue_length=9, queue_seconds=9, of_one_address=9))
    admission._moved_at -= 10 * LONG
    assert standstill(admission, LIMITS) is None, "nobody wants anything"
    async with admission.spare(Requester(visitor="a", address="a")):
        assert standstill(admission, LIMITS) is None, "it has just begun"
    admission._moved_at -= 10 * LONG
    async with admission.slot(Requester(visitor="a", address="a")):
        assert standstill(admission, LIMITS) is None, "it has just begun"
        admission._moved_at -= LONG + 1
        told = re.fullmatch(r"No run has ended for (\d+) s, with 1 active and 0 queued\.", standstill(admission, LIMITS) or "")
        assert told is not None and LONG + 1 <= int(told[1]) < LONG + PATIENCE
    assert standstill(admission, LIMITS) is None


async def test_the_deep_check_runs_a_snippet(server: Running) -> None:
    def ask() -> tuple[int, Any]:
        with server.client() as client:
            answer = client.get("/api/v1/health/deep")
            return answer.status_code, answer.json()["status"]

    assert await asyncio.to_thread(ask) == (200, "ok")
    lines = [msgspec.json.decode(line) for line in server.log.read_text().splitlines()]
    assert [line["ended"] for line in lines if line.get("address") == "health"][-1:] == ["finished"]


def test_the_command_where_this_machine_is_no_operator() -> None:
    class NotForYou(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(403)
            self.end_headers()
            self.wfile.write(b'{"error": "operators_only", "message": "Not for you.", "hint": "Ask them."}')

    with HTTPServer(("127.0.0.1", 0), NotForYou) as up, ThreadPoolExecutor(1) as answering:
        answering.submit(up.handle_request)
        with pytest.raises(CommandError, match=r"does not report its health to this machine: Not for you\. Ask them\.$"):
            check("127.0.0.1", up.server_port)


def test_the_command_for_whoever_watches(server: Running) -> None:
    """The health check of the container image, with environment variables that configure a proxy."""

    def health(port: int, host: str = "0.0.0.0") -> tuple[int, str, str]:
        environment = {**os.environ, "STEPGRAD_HOST": host, "STEPGRAD_PORT": str(port), "http_proxy": "http://127.0.0.1:1"}
        command = [sys.executable, "-m", "app", "health"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        return ended.returncode, ended.stdout, ended.stderr

    port = httpx.URL(server.url).port or 0
    code, said, wrong = health(port)
    assert (code, wrong) == (0, "")
    assert re.fullmatch(rf"Stepgrad \S+ at 127\.0\.0\.1:{port} runs snippets: tier A, \d active\.\n", said)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]
    code, said, wrong = health(free)
    assert (code, said) == (1, "")
    assert wrong.startswith(f"stepgrad: No Stepgrad server responds at 127.0.0.1:{free} (") and wrong.count("\n") == 1
