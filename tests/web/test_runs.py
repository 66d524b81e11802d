"""Runs over HTTP: whatever ends a program, the document is complete up to this point, and the next run works."""

import json
import sys
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from app.explain import Document, explain
from app.sandbox import Layer
from app.sandbox.inside.protocol import TRACE, frame
from app.trace import ends
from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from app.trace.heads import Head
from app.trace.records import FORMAT
from tests import alerts
from tests.web.server import Running

SOURCE = "import torch\n\nx = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\nprint(x.grad)\n"
BEFORE = "import torch\nx = torch.ones(2)\n"


def post(client: httpx.Client, source: str, **more: Any) -> Document:
    response = client.post("/api/v1/traces", json={"source": source, **more})
    assert response.status_code == 200, response.text
    return msgspec.json.decode(response.content, type=Document)


def test_a_document_is_what_explain_says_of_its_trace(client: httpx.Client) -> None:
    document = post(client, SOURCE)
    assert document.trace.source == SOURCE
    assert document.trace.ended == ends.Finished()
    assert document.trace.outputs[0].text == "tensor([2., 2., 2.])\n"
    check(document.trace)
    assert document.recording_token
    assert msgspec.structs.replace(document, recording_token="") == explain(document.trace)
    assert decode_trace(encode_trace(document.trace)) == document.trace


def test_the_seed_is_the_visitors(client: httpx.Client) -> None:
    source = "import torch\nprint(torch.rand(1).item())\n"
    first, again, other = (post(client, source, seed=seed).trace.outputs[0].text for seed in (1, 1, 2))
    assert first == again != other


def test_the_cpu_stands_in_for_a_gpu_when_asked(client: httpx.Client) -> None:
    source = 'import torch\nprint(torch.ones(1, device="cuda"))\n'
    refused = post(client, source)
    assert isinstance(refused.trace.ended, ends.Raised)
    (finding,) = refused.findings
    (fix,) = finding.fixes
    assert (finding.kind, finding.line, fix.title, fix.source, fix.stand_in) == ("no_gpu", 2, "stand_in", source, True)
    stood_in = post(client, source, stand_in=True)
    assert (stood_in.trace.ended, stood_in.findings, stood_in.trace.header.stand_in) == (ends.Finished(), [], True)
    assert stood_in.trace.outputs[0].text == "tensor([1.], device='cuda:0')\n"


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("__import__('subprocess').run(['ls'])", "sealed"),
        ("open('/new', 'w')", "sealed"),
        ("__import__('socket').create_connection(('192.0.2.1', 80))", "sealed"),
        ("__import__('asyncio').new_event_loop()", "sealed"),
        ("__import__('urllib.request').request.urlopen('http://192.0.2.1')", None),
        ("raise PermissionError('[Errno 1] mine')", "sealed"),  # the text of an exception is trusted
        ("raise PermissionError('not yours')", None),
    ],
)
def test_what_the_sandbox_refuses_is_explained(client: httpx.Client, line: str, finding: str | None) -> None:
    document = post(client, f"import torch\n{line}\n")
    assert isinstance(document.trace.ended, ends.Raised)
    assert [(each.kind, each.line) for each in document.findings] == ([(finding, 2)] if finding else [])


def test_packed_only_for_those_who_can_unpack(client: httpx.Client) -> None:
    for offer, packed in (("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("identity", False), ("", False)):
        response = client.post("/api/v1/traces", json={"source": SOURCE}, headers={"Accept-Encoding": offer})
        assert (response.headers.get("content-encoding") == "gzip") == packed
        assert response.headers["vary"] == "Accept, Accept-Encoding"
        assert response.json()["trace"]["source"] == SOURCE


@pytest.mark.parametrize(
    "source", ["x = = 1\n", "import torch\nif True:\nx = 1\n", "'''never closed\n", "return 5\n", "x = 1\n\ty = 2\n"]
)
def test_a_syntax_error_is_an_end_at_its_line(client: httpx.Client, source: str) -> None:
    with pytest.raises(SyntaxError) as expected:
        compile(source, "snippet", "exec")
    ended = post(client, source).trace.ended
    assert isinstance(ended, ends.Raised)
    assert (ended.type, ended.line) == (type(expected.value).__name__, expected.value.lineno)


def timed_out(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.TimedOut)


def too_many_steps(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.Stopped | ends.TimedOut)


def flooded(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.OutputTooLarge)


def exited(trace: Trace) -> bool:
    return trace.ended == ends.Exited(code=3, by="process")


def left(trace: Trace) -> bool:
    return trace.ended == ends.Exited(code=4, by="SystemExit")


def segfaulted(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.Crashed) and trace.ended.name == "SIGSEGV"


def out_of_memory(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.OutOfMemory)


def raised(trace: Trace) -> bool:
    return isinstance(trace.ended, ends.Raised) and (trace.ended.type, trace.ended.line) == ("ZeroDivisionError", 3)


HOSTILE: list[tuple[str, str, Callable[[Trace], bool]]] = [
    ("endless loop of statements", "while True:\n    x = x + 1\n", too_many_steps),
    ("endless print", "while True: print('spam' * 1000)\n", flooded),
    ("os._exit", "import os\nos._exit(3)\n", exited),
    ("sys.exit", "import sys\nsys.exit(4)\n", left),
    ("segmentation fault", "import ctypes\nctypes.string_at(0)\n", segfaulted),
    ("ten gigabytes", "y = torch.zeros(10 * 2**30, dtype=torch.uint8)\n", out_of_memory),
    ("an exception", "1 / 0\n", raised),
]
CLOCKED: list[tuple[str, str, Callable[[Trace], bool]]] = [
    # PYTHON 3.12: such a loop causes a line event in every iteration.
    ("endless loop of one statement", "while True: pass\n", timed_out if sys.version_info < (3, 12) else too_many_steps),
    ("endless sleep", "import time\ntime.sleep(1000)\n", timed_out),
]


def check_steps_before(trace: Trace) -> None:
    """Assert that the statements before the end were recorded."""
    assert [step.span.line for step in trace.steps if step.kind == "statement" and step.span is not None][:2] == [1, 2]
    assert [name.path for name in trace.names][:1] == ["x"]


@pytest.mark.parametrize(("source", "is_expected"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_every_end_is_clear_and_keeps_the_steps_before_it(
    client: httpx.Client, source: str, is_expected: Callable[[Trace], bool]
) -> None:
    trace = post(client, BEFORE + source).trace
    assert is_expected(trace), trace.ended
    check_steps_before(trace)
    assert post(client, SOURCE).trace.ended == ends.Finished()


@pytest.mark.parametrize(("source", "is_expected"), [case[1:] for case in CLOCKED], ids=[case[0] for case in CLOCKED])
def test_an_end_by_the_clock_is_clear_and_keeps_the_steps_before_it(
    cramped: Running, source: str, is_expected: Callable[[Trace], bool]
) -> None:
    with cramped.client() as client:
        for _ in range(10):
            cramped.quiet()
            trace = post(client, BEFORE + source).trace
            assert is_expected(trace), trace.ended
            if trace.names:  # otherwise the time limit of three seconds was reached first
                break
        check_steps_before(trace)
        assert isinstance(post(client, "x = 1").trace.ended, ends.Finished)


def test_one_line_in_the_log_for_each_run_and_never_the_source(server: Running, client: httpx.Client) -> None:
    before = len(server.log.read_text().splitlines())
    post(client, "password = 'in the source'\n")
    post(client, "raise ValueError('in the message')\n")
    lines = [json.loads(line) for line in server.log.read_text().splitlines()[before:]]
    assert [(line["event"], line["ended"]) for line in lines] == [("run", "finished"), ("run", "raised")]
    assert lines[0]["run"] != lines[1]["run"]
    assert {"wall_seconds", "cpu_seconds", "peak_memory_bytes"} <= lines[0]["cost"].keys()
    assert all(line["waited_seconds"] >= 0 and line["address"] == "127.0.0.1" for line in lines)
    assert lines[0]["visitor"] == lines[1]["visitor"]
    assert client.cookies["stepgrad_visitor"].partition(".")[0] not in server.log.read_text(), "only a hash of it"
    assert "in the" not in server.log.read_text()


COUNTED = Head(statements=99, operators=99, end="finished")
PTRACE = "ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)\n"
ENDS = {
    "finish": b'{"ended": {"kind": "finished"}}',
    "crash": b'{"ended": {"kind": "crashed", "signal": 999, "name": "<img src=x>"}}',
}
# The recorder sends nothing during this single statement.
FORGED = {kind: f"import ctypes, os\nos.write(4, {frame(TRACE, COUNTED.payload(said))!r}) and " for kind, said in ENDS.items()}
ATTACKS = {
    "a call that kills": ("import ctypes\n" + PTRACE, "crashed"),
    "a call that kills, after a forged end": (FORGED["finish"] + PTRACE, "crashed"),
    "a forged crash": (FORGED["crash"] + "print()\n", "interfered"),
    "no frames": (
        "import os\nfor fd in range(3, 20):\n    try: os.write(fd, b'x' * 9)\n    except OSError: pass\n",
        "interfered",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_only_attacks_do_is_an_alarm_in_the_log(server: Running, client: httpx.Client, attack: str) -> None:
    source, ended = ATTACKS[attack]
    before = len(server.log.read_text().splitlines())
    post(client, source)
    post(client, "import ctypes\nctypes.string_at(0)\n")
    lines = [json.loads(line) for line in server.log.read_text().splitlines()[before:]]
    assert [(line["ended"], line["level"]) for line in lines] == [(ended, "warning"), ("crashed", "info")]


def test_health_and_metrics(server: Running, client: httpx.Client) -> None:
    post(client, SOURCE)
    server.quiet()
    health = client.get("/api/v1/health").json()
    assert (health["status"], health["running"], health["waiting"], health["format"]) == ("ok", 0, 0, FORMAT)
    assert health["torch"].startswith("2.")
    assert (health["tier"], health["layers"], health["refusal"]) == ("A", list(Layer), "")
    assert 0 <= health["canary_age_seconds"] < 120
    text = client.get("/metrics").text
    assert alerts.named_for_one_machine() <= alerts.told(text)
    metrics = text.splitlines()
    assert {'stepgrad_tier{tier="A"} 1.0', 'stepgrad_tier{tier="B"} 0.0', 'stepgrad_layer{layer="seccomp"} 1.0'} <= set(metrics)
    assert "stepgrad_refusing 0.0" in metrics
    assert any(line.startswith('stepgrad_runs_total{ended="finished",queue="cpu"}') for line in metrics)
    while "stepgrad_event_loop_late_seconds_count 0.0" in client.get("/metrics").text:
        pass  # the loop reads the metrics 50 times per second
    assert {'stepgrad_backlog_age_seconds{queue="cpu"} 0.0', "stepgrad_store_up 1.0", "stepgrad_zygotes_total 1.0"} <= set(
        metrics
    )
    named = ("stepgrad_running 0.0", "stepgrad_waiting 0.0", "stepgrad_wait_seconds_bucket", "stepgrad_run_seconds_sum")
    for name in (*named, 'stepgrad_answers_total{status="200"}', "stepgrad_store_bytes"):
        assert any(line.startswith(name) for line in metrics), name


def test_lessons(client: httpx.Client) -> None:
    gallery = client.get("/api/v1/lessons").json()
    assert len(gallery) >= 5
    for lesson in gallery:
        assert {"slug", "title", "claim", "snippet"} <= lesson.keys()
        assert lesson["title"].keys() == {"en", "zh-CN"}
