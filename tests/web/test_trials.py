"""Try out suggested fixes over HTTP: after a run, for a link, or a single fix. "untried" means that the server was busy."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.web.server import hosted
from tests.web.streaming import EVENTS, events

BROKEN = """import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""
SILENT = """import torch
x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.data.mul_(100)
y.sum().backward()
"""
HINT = """x{number} = torch.ones(2)
y{number} = x{number}.to("cpu")
y{number}.mul_(2)
print(x{number})
"""
WORKS = {"verdict": "works", "reason": ""}
FIRST = {"finding": 0, "fix": 0}


def run(client: httpx.Client, source: str) -> dict[str, Any]:
    return client.post("/api/v1/traces", json={"source": source}).raise_for_status().json()  # type: ignore[no-any-return]


def ask(client: httpx.Client, source: str, *, timeout: float = 60, **more: Any) -> httpx.Response:
    return client.post("/api/v1/trials", json={"source": source, **more}, timeout=timeout)


def running_now(client: httpx.Client) -> int:
    return int(client.get("/api/v1/health").json()["running"])


def counted(client: httpx.Client, verdict: str, reason: str = "") -> int:
    text = client.get("/metrics").text
    found = re.search(rf'stepgrad_trials_total{{reason="{reason}",verdict="{verdict}"}} (\d+)', text)
    return int(found[1]) if found else 0


def test_after_a_run(client: httpx.Client) -> None:
    document = run(client, BROKEN)
    before = counted(client, "works")
    answer = ask(client, BROKEN)
    assert answer.status_code == 200
    assert answer.json() == {"trials": [{**FIRST, **WORKS}]}
    assert len(document["findings"][0]["fixes"]) == 1
    assert ask(client, BROKEN).json() == answer.json()
    assert counted(client, "works") == before + 1, "it is remembered"


def test_for_a_link(client: httpx.Client) -> None:
    snippet_id = client.post("/api/v1/snippets", json={"source": BROKEN}).json()["id"]
    for body in ({}, FIRST):
        answer = client.post(f"/api/v1/snippets/{snippet_id}/trials", json=body)
        assert answer.json() == {"trials": [{**FIRST, **WORKS}]}
    assert client.post("/api/v1/snippets/aaaaaaaaaa/trials", json={}).json()["error"] == "unknown_snippet"


def test_one_alone(client: httpx.Client) -> None:
    source = BROKEN + "z = x.exp()\nz += 1\nz.sum().backward()\n"
    run(client, source)
    before = counted(client, "fails", "raises")
    for _ in range(2):
        assert ask(client, source, **FIRST).json() == {"trials": [{**FIRST, "verdict": "fails", "reason": "raises"}]}
    assert counted(client, "fails", "raises") == before + 1
    for finding, fix in ((0, 9), (9, 0)):
        assert ask(client, source, finding=finding, fix=fix).json()["error"] == "unknown_fix"
    assert ask(client, source, finding=0).json()["error"] == "half_a_fix"


def test_a_fix_of_what_is_silently_wrong_gives_the_corrected_gradient(client: httpx.Client) -> None:
    run(client, SILENT)
    told = {trial["fix"]: trial for trial in ask(client, SILENT).json()["trials"]}
    assert told[0] == {**FIRST, **WORKS}
    assert client.post("/api/v1/right", json={"source": SILENT}).json()["kind"] == "right", "it was asked for then"


def test_at_most_three_those_of_errors_first(client: httpx.Client) -> None:
    source = (
        "import torch\n"
        + "".join(HINT.format(number=number) for number in range(4))
        + "w = torch.ones(2, requires_grad=True)\nw.numpy()\n"
    )
    findings = run(client, source)["findings"]
    assert [finding["severity"] for finding in findings if finding["fixes"]] == ["hint"] * 4 + ["error"]
    trials = ask(client, source).json()["trials"]
    assert len(trials) == 5 and trials[0] == {"finding": 4, "fix": 0, **WORKS}
    assert [trial["finding"] for trial in trials] == [4, 0, 1, 2, 3]
    assert [trial["reason"] for trial in trials[3:]] == ["later", "later"]
    last = {"finding": trials[4]["finding"], "fix": trials[4]["fix"]}
    assert ask(client, source, **last).json()["trials"][0]["reason"] != "later"


def test_nothing_is_answered_for_what_never_ran(client: httpx.Client) -> None:
    answer = ask(client, BROKEN + "# never ran\n")
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown_run")


def test_a_clock_is_not_the_fault_of_a_fix(client: httpx.Client) -> None:
    source = "import time\nnow = time.time_ns()\n" + BROKEN
    run(client, source)
    assert ask(client, source).json() == {"trials": [{**FIRST, "verdict": "untried", "reason": "unsteady"}]}


def test_where_the_run_took_long_the_chosen_one_alone_is_tried() -> None:
    with hosted(trial_seconds="0.000001", limits__wall_seconds="300") as hasty, hasty.client() as client:
        run(client, BROKEN)
        assert ask(client, BROKEN).json() == {"trials": [{**FIRST, "verdict": "untried", "reason": "long"}]}
        assert ask(client, BROKEN, **FIRST).json() == {"trials": [{**FIRST, **WORKS}]}
        assert ask(client, BROKEN).json() == {"trials": [{**FIRST, **WORKS}]}, "it is remembered"


def test_untried_when_there_is_no_place() -> None:
    settings = {"runs_in_flight": "1", "queue_seconds": "1", "trial_seconds": "60", "limits__wall_seconds": "600"}
    with hosted(**settings) as narrow, narrow.client() as client, narrow.client() as other:
        run(client, BROKEN)
        sleeping = {"json": {"source": "import time\ntime.sleep(1000)\n"}, "headers": EVENTS}
        with other.stream("POST", "/api/v1/traces", **sleeping) as response:  # type: ignore[arg-type]
            told = events(response)
            assert next(told)[0] == "running"
            assert ask(client, BROKEN).json() == {"trials": [{**FIRST, "verdict": "untried", "reason": "busy"}]}
        narrow.quiet()
        assert ask(client, BROKEN).json() == {"trials": [{**FIRST, **WORKS}]}, "a busy server is no answer to remember"


def test_a_trial_gives_its_place_to_a_visitor_and_ends_when_nobody_asks_any_more() -> None:
    source = BROKEN + "import time\ntime.sleep(1000)\n"
    settings = {"trial_seconds": "60", "limits__wall_seconds": "600", "queue_seconds": "300", "visitor_burst": "1e6"}
    with hosted(runs_in_flight="1", **settings) as narrow:
        with narrow.client() as client, narrow.client() as other:
            run(client, source)
            with ThreadPoolExecutor() as pool:
                asked = pool.submit(ask, client, source, timeout=15, **FIRST)
                while running_now(other) == 0 and not asked.done():
                    pass
                assert run(other, "x = 1")["trace"]["ended"] == {"kind": "finished"}
                with pytest.raises(httpx.ReadTimeout):
                    asked.result()
        with narrow.client() as client:
            assert run(client, "x = 2")["trace"]["ended"] == {"kind": "finished"}, "the place is free again"
        assert "sleep" not in narrow.log.read_text()
