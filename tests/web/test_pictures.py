"""Pictures for papers over HTTP: formats, errors, and the limit of concurrent drawings."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from app.engine import Refused, Requester
from app.explainers import Explanation
from app.export import Drawn, ExportUnavailable, PictureTooLarge, Wanted
from app.store import Recording
from app.web.edge.errors import Problem
from app.web.links import pictures
from app.web.links.pictures import MOST_OF_ONE_ADDRESS, PLACES, Pictures
from tests.sandbox.processes import PATIENCE
from tests.web.test_errors import assert_problem

SOURCE = "import torch\n秘密 = torch.ones(2, requires_grad=True)\n(秘密 * 3).sum().backward()\n"


@pytest.mark.parametrize(
    ("kind", "media", "start"),
    [
        ("svg", "image/svg+xml", b"<?xml"),
        ("pdf", "application/pdf", b"%PDF-"),
        ("png", "image/png", b"\x89PNG"),
        ("dot", "text/vnd.graphviz; charset=utf-8", b"digraph"),
    ],
)
def test_a_picture_is_a_file_that_can_do_nothing(client: httpx.Client, kind: str, media: str, start: bytes) -> None:
    client.post("/api/v1/traces", json={"source": SOURCE})
    answer = client.post("/api/v1/pictures", json={"source": SOURCE, "picture": "graph", "format": kind, "step": "last"})
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(start)
    headers = answer.headers
    assert headers["content-type"] == media
    assert headers["content-disposition"].startswith('attachment; filename="stepgrad-graph-step-')
    assert headers["content-disposition"].endswith(f'.{kind}"')
    assert headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert headers["x-content-type-options"] == "nosniff"


def test_a_link_s_picture_is_that_of_its_run(client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": SOURCE}).json()["id"]
    asked = {"picture": "memory", "format": "dot", "step": "2", "language": "zh-CN"}
    of_link = client.post(f"/api/v1/snippets/{link}/picture", json=asked)
    assert of_link.status_code == 200 and "秘密" in of_link.text
    assert of_link.text == client.post("/api/v1/pictures", json={"source": SOURCE, **asked}).text


def test_what_cannot_be_drawn_is_refused(client: httpx.Client) -> None:
    never = {"source": "never = 'ran'"}
    assert_problem(client.post("/api/v1/pictures", json=never), 404, "unknown_run")
    assert_problem(client.post("/api/v1/snippets/AAAAAAAAAA/picture", json={}), 404, "unknown_snippet")
    client.post("/api/v1/traces", json={"source": SOURCE})
    assert_problem(client.post("/api/v1/pictures", json={"source": SOURCE, "step": "999"}), 404, "unknown_step")
    for wrong in (
        {"step": "0"},
        {"format": "gif"},
        {"picture": "all"},
        {"width": 10},
        {"open": ["x" * 500]},
        {"more": 1},
        {"why": "<b>"},
    ):
        assert_problem(client.post("/api/v1/pictures", json={"source": SOURCE, **wrong}), 422, "invalid")


class Known:
    """Services with one recording and its explanation."""

    async def recorded(self, source: str, seed: int, stand_in: bool, token: str | None, visitor: str) -> Any:
        return Recording(hash="0" * 64, request="r", format=1, trace=b"{}"), None

    async def kept(self, recording_hash: str) -> Explanation:
        return Explanation(trace_bytes=2)

    async def in_document(self, *_: object) -> None:
        """Return None, which means that no gradient is wrong."""


class Counted:
    """Metrics that record their calls."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def drawn(self, kind: str, ended: str) -> None:
        self.told.append((kind, ended))


def visitor(address: str) -> Requester:
    return Requester(visitor=address, address=address)


@pytest.mark.asyncio
async def test_a_few_are_drawn_at_a_time_and_equal_ones_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Wanted] = []
    going: list[Wanted] = []
    full, go_on = asyncio.Event(), asyncio.Event()

    async def draw(document: bytes, wanted: Wanted) -> Drawn:
        assert json.loads(document)["trace"] == {}
        begun.append(wanted)
        going.append(wanted)
        assert len(going) <= PLACES
        if len(going) == PLACES:
            full.set()
        await go_on.wait()
        going.remove(wanted)
        return Drawn(b"drawn", 1, 1)

    monkeypatch.setattr(pictures, "draw", draw)
    drawing = Pictures(Known(), Known(), Known(), Counted())  # type: ignore[arg-type]

    def ask(step: int, address: str) -> asyncio.Task[Drawn]:
        return asyncio.ensure_future(drawing.of_run("x", 0, False, None, Wanted(step=step), visitor(address)))

    asked = [ask(step, "one") for step in range(1, MOST_OF_ONE_ADDRESS + 1)]
    again = ask(1, "two")
    one_more = ask(100, "one")
    with pytest.raises(Refused):
        await one_more
    other = ask(101, "two")
    await asyncio.wait_for(full.wait(), PATIENCE)
    asked[-1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked[-1]
    go_on.set()
    done = await asyncio.gather(*asked[:-1], again, other)
    assert {each.content for each in done} == {b"drawn"}
    assert [wanted.step for wanted in begun].count(1) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "status", "word"),
    [(ExportUnavailable("No Graphviz."), 501, "no_pictures"), (PictureTooLarge("Too long."), 422, "picture_too_large")],
)
async def test_failures_are_counted_and_say_nothing_of_the_snippet(
    monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, word: str
) -> None:
    async def draw(document: bytes, wanted: Wanted) -> Drawn:
        raise error

    monkeypatch.setattr(pictures, "draw", draw)
    counted = Counted()
    drawing = Pictures(Known(), Known(), Known(), counted)  # type: ignore[arg-type]
    with capture_logs() as lines, pytest.raises(Problem) as refused:
        await drawing.of_run("secret = 1", 0, False, None, Wanted(), visitor("one"))
    assert (refused.value.status_code, refused.value.error) == (status, word)
    assert counted.told == [("svg", word)] and "secret" not in str(lines)
