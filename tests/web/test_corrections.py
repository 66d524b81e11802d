"""Request corrected gradients over HTTP: after a run or for a link. Concurrent requests for the same gradients share a
computation.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import httpx
import pytest

from app.explain.corrected_records import Reason
from app.words import LANGUAGES, sentence
from tests.web.server import Hosted, hosted
from tests.web.streaming import EVENTS, events

WRONG = """import torch
x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.data.mul_(100)
y.sum().backward()
"""
RIGHT = {
    "tensor": 0,
    "name": "x",
    "is_grad": True,
    "shape": [1],
    "wrong": {"kind": "cells", "dtype": "float32", "values": [400.0]},
    "right": {"kind": "cells", "dtype": "float32", "values": [4.0]},
}


def ask(client: httpx.Client, source: str, **more: Any) -> httpx.Response:
    return client.post("/api/v1/right", json={"source": source, **more})


def run(client: httpx.Client, source: str) -> dict[str, Any]:
    answer = client.post("/api/v1/traces", json={"source": source})
    assert answer.status_code == 200
    return answer.json()  # type: ignore[no-any-return]


def counted(client: httpx.Client, answer: str) -> int:
    found = re.search(rf'stepgrad_rights_total{{answer="{answer}"}} (\d+)', client.get("/metrics").text)
    return int(found[1]) if found else 0


def test_after_a_run(client: httpx.Client) -> None:
    source = WRONG + "# after a run\n"
    document = run(client, source)
    before = counted(client, "right")
    answer = ask(client, source)
    assert answer.status_code == 200
    right = answer.json()
    assert right["kind"] == "right" and right["gradients"] == [RIGHT]
    assert document["trace"]["steps"][right["step"]]["span"]["line"] == 6
    assert document["trace"]["nodes"][right["node"]]["name"] == "MulBackward0"
    assert ask(client, source).json() == right
    assert counted(client, "right") == before + 1, "it is remembered"


def test_for_a_link(client: httpx.Client) -> None:
    url = client.post("/api/v1/snippets", json={"source": WRONG}).json()["url"]
    answer = client.get(f"/api/v1/snippets/{url.rsplit('/', 1)[-1]}/right")
    assert answer.status_code == 200 and answer.json()["gradients"] == [RIGHT]
    assert client.get("/api/v1/snippets/aaaaaaaaaa/right").json()["error"] == "unknown_snippet"


def test_unknown_is_an_answer(client: httpx.Client) -> None:
    source = WRONG.replace("x * 1", "x * int.from_bytes(__import__('os').urandom(6))")
    run(client, source)
    assert ask(client, source).json() == {"kind": "unknown", "reason": "differs"}


def test_the_copies_have_the_limits_of_the_run(client: httpx.Client) -> None:
    """The run saves a tensor of 4 MB 300 times without copying it. Corrected gradients need 300 copies, which exceed the
    memory limit.
    """
    source = "import torch\nh = torch.ones(1000, 1000)\nv = torch.ones(1000, requires_grad=True)\ntotal = 0.0\n"
    source += "for _ in range(300):\n    total = total + (h @ v)[0]\nh.data[0, 0] = 7\ntotal.backward()\n"
    run(client, source)
    assert ask(client, source).json() == {"kind": "unknown", "reason": "ended"}


@pytest.mark.parametrize("source", ["import torch\n# never ran here\n", WRONG.replace("h.data", "x.data") + "# nor this\n"])
def test_nothing_is_answered_for_what_never_ran(client: httpx.Client, source: str) -> None:
    answer = ask(client, source)
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown_run")


def test_nothing_is_answered_for_what_was_not_wrong(client: httpx.Client) -> None:
    source = WRONG.replace("h.data.mul_(100)", "pass")
    run(client, source)
    answer = ask(client, source)
    assert (answer.status_code, answer.json()["error"]) == (404, "nothing_wrong")


@pytest.fixture(scope="module")
def narrow() -> Iterator[Hosted]:
    """Start a server that allows one run at a time, with a short queue timeout."""
    with hosted(runs_in_flight="1", queue_seconds="1", limits__wall_seconds="600") as up:
        yield up


def test_unknown_when_there_is_no_place(narrow: Hosted) -> None:
    with narrow.client() as client:
        run(client, WRONG)
        sleeping = {"json": {"source": "import time\ntime.sleep(1000)\n"}, "headers": EVENTS}
        with narrow.client() as other, other.stream("POST", "/api/v1/traces", **sleeping) as response:  # type: ignore[arg-type]
            told = events(response)
            assert next(told)[0] == "running"
            assert ask(client, WRONG).json() == {"kind": "unknown", "reason": "busy"}
        narrow.quiet()
        assert ask(client, WRONG).json()["kind"] == "right", "a busy server is no answer to remember"


def test_who_hangs_up_wants_no_answer(narrow: Hosted) -> None:
    source = WRONG + "import time\nif torch._C._autograd._top_saved_tensors_default_hooks(True): time.sleep(1000)\n"
    with narrow.client() as client:
        run(client, source)
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/v1/right", json={"source": source}, timeout=1)
    narrow.quiet()
    with narrow.client() as client:
        assert run(client, "pass")["trace"]["ended"] == {"kind": "finished"}, "the place is free again"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_words(language: str, reason: str) -> None:
    assert len(sentence(language, f"right-unknown-{reason}")) > 20
