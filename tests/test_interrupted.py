"""Press Ctrl-C during each command: it prints at most one sentence and no traceback, and no run is lost."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.sandbox.processes import PATIENCE, family
from tests.waiting import wait_until

ROOT = Path(__file__).parents[1]
STOPPED = "stepgrad: Stopped by Ctrl-C.\n"
SERVE = (sys.executable, "-m", "app", "serve", "--port", "0")


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a new process group, as a shell does."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as folder:
        Path(folder).chmod(0o755)
        environment = {**os.environ, "STEPGRAD_DATA": f"{folder}/data"}
        with subprocess.Popen(
            ("env", "--default-signal=INT", *command),  # background jobs of a shell ignore SIGINT
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def is_importing(pid: int) -> bool:
    return any("/_pydantic_core" in Path(f"/proc/{each}/maps").read_text() for each in (pid, *(o.pid for o in family(pid))))


def has_bubblewrap(pid: int) -> bool:
    """Whether the command has started its sandbox."""
    return any(each.name == "bwrap" for each in family(pid))


def explains(pid: int) -> bool:
    """Whether the command has started the processes that explain recordings, which happens after the sandbox."""
    return any("app.explainers" in each.arguments for each in family(pid))


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Send SIGINT to the process group, and return the rest of the output."""
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("command", "has_come_to"),
    [
        (SERVE, is_importing),
        (SERVE, has_bubblewrap),
        (SERVE, explains),
        ((sys.executable, "-m", "app", "trace", "app/commands/health_client.py"), has_bubblewrap),
        ((sys.executable, "-m", "app", "check", "app/commands/health_client.py"), has_bubblewrap),
    ],
)
def test_a_command_that_has_not_begun_says_one_sentence(command: tuple[str, ...], has_come_to: Callable[[int], bool]) -> None:
    with started(*command) as process:
        reach(process, has_come_to)
        out, told = interrupt(process)
        *log, last = told.splitlines(keepends=True)
        assert (process.returncode, out, last) == (130, "", STOPPED)
        assert {json.loads(line)["event"] for line in log} <= {"sandbox"}
        assert family(process.pid) == []


def test_make_run_adds_nothing() -> None:
    with started("make", "--old-file=setup", "run", f"PYTHON={sys.executable}", "ARGS=--port 0") as process:
        reach(process, has_bubblewrap)
        assert interrupt(process) == ("", STOPPED)


def test_a_server_lets_a_run_come_to_its_end() -> None:
    answers: list[httpx.Response] = []
    with started(*SERVE) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        snippet = {"source": "import time\ntime.sleep(2)\n"}
        with httpx.Client(base_url=url, timeout=PATIENCE, verify=False) as client:
            asking = threading.Thread(target=lambda: answers.append(client.post("/api/v1/traces", json=snippet)))
            asking.start()
            with httpx.Client(base_url=url, verify=False) as watching:
                wait_until(lambda: watching.get("/api/v1/health").json()["running"])
            out, log = interrupt(process)
            asking.join()
    assert (process.returncode, out) == (0, "")
    assert answers[0].json()["trace"]["ended"] == {"kind": "finished"}
    told = [json.loads(line) for line in log.splitlines()]
    assert [each["event"] for each in told] == ["sandbox", "run"]
    assert (told[0]["tier"], told[0]["address"], told[0]["missing"]) == ("A", "127.0.0.1", {})


def reach(process: subprocess.Popen[str], has_come_to: Callable[[int], bool]) -> None:
    """Wait until `has_come_to` returns True for the command's process."""
    wait_until(lambda: process.poll() is not None or has_come_to(process.pid))
    assert process.poll() is None
