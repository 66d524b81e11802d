"""Processes that import torch once and run each snippet they receive in a fork, either plainly or recorded.

    with Process("recording") as process:
        chunks = Worker("recorded", process).answer("import torch")

Processes for plain runs import nothing of Stepgrad.
"""

import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

How = Literal["plain", "bare", "recorded", "stood_in", "preserved"]
ROOT = Path(__file__).parents[2]
SECONDS = 300
"""The timeout of a snippet."""


class Process:
    """A process that runs snippets, with additional environment variables. The process answers requests in order."""

    def __init__(self, kind: Literal["plain", "recording"], **environment: str) -> None:
        command = [sys.executable, "-m", "tests.tracer.workers", kind]
        self._popen = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.communicate()
        assert self._popen.returncode == 0

    def send(self, line: str) -> None:
        """Send a request. It starts after all previous requests."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(line + "\n")
        self._popen.stdin.flush()

    def receive(self) -> str:
        """Return the next answer."""
        assert self._popen.stdout is not None
        return self._popen.stdout.readline()


class Worker:
    """Runs of one kind, in a process that may be shared with other workers."""

    def __init__(self, how: How, process: Process) -> None:
        self._how = how
        self._process = process

    def send(self, source: str, **options: Any) -> None:
        """Start a snippet; `receive` waits for its answer. Options are limits for recordings, and `probes` and others for bare
        runs.
        """
        self._process.send(json.dumps([self._how, source, options]))

    def receive(self) -> tuple[int, str]:
        """Return the exit status of the snippet's process (0: success) and its output: one JSON object, or one chunk per line."""
        said = json.loads(self._process.receive())
        return int(said["status"]), str(said["answer"])

    def answer(self, source: str, **options: Any) -> str:
        """Run a snippet and return its output. Raises AssertionError if its process died."""
        self.send(source, **options)
        status, answer = self.receive()
        assert status == 0, f"the snippet's process ended with status {status}: {answer[-2000:]}"
        return answer


Run = Callable[[str, dict[str, Any], Callable[[str], None]], None]


def serve() -> None:
    """Answer each request on stdin with the output of a fork of this process."""
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        how, source, options = json.loads(line)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            signal.alarm(SECONDS)
            heal_threads()
            with os.fdopen(writer, "wb", buffering=0) as pipe:
                RUNS[how](source, options, lambda text: write(pipe, text))
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            content = pipe.read()
        _, status = os.waitpid(child, 0)
        answers.write(json.dumps({"status": status, "answer": content.decode()}) + "\n")
        answers.flush()


def heal_threads() -> None:
    """Create torch's thread pool after the fork, because its threads would race to do so; app/tracer/entry.py does the same."""
    import torch

    torch.set_num_threads(torch.get_num_threads())


def write(pipe: Any, text: str) -> None:
    """Write the whole text in several calls, because a call writes only the bytes that fit into the pipe."""
    content = memoryview(text.encode())
    while content:
        content = content[pipe.write(content) :]


def run_plain(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Answer with torch's state after every statement (`differential.plain`)."""
    from tests.tracer.differential import plain

    warnings.simplefilter("ignore")  # reading some attributes causes warnings
    answer(json.dumps(plain(source)))


def run_bare(source: str, options: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Answer with the output, warnings and exceptions of an unrecorded run, with answers to questions, or with states around
    lines.
    """
    from tests.tracer.bare import bare
    from tests.tracer.stepped import stepped
    from tests.tracer.watched import watched

    if "asked" in options:
        answer(json.dumps(watched(source, options["asked"]), default=repr))
    elif "stepped" in options:
        answer(json.dumps(stepped(source, options["stepped"]), default=repr))
    else:
        answer(json.dumps(bare(source, options.get("probes", []))))


def run_recorded(source: str, limits: dict[str, Any], answer: Callable[[str], None], **asked: bool) -> None:
    """Answer with the chunks; send each chunk as soon as the recorder emits it."""
    from app.trace.heads import content_of
    from app.trace.records import Limits, Request
    from app.trace.requests import encode_request
    from app.tracer.entry import run

    request = Request(source=source, limits=Limits(**limits), **asked)
    run(encode_request(request), lambda payload: answer(content_of(payload).decode() + "\n"))


def run_stood_in(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Record the snippet with the CPU standing in for a GPU."""
    run_recorded(source, limits, answer, stand_in=True)


def run_preserved(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Record the snippet with copies of what autograd saves."""
    run_recorded(source, limits, answer, keep_saved=True)


RUNS: dict[How, Run] = {
    "plain": run_plain,
    "bare": run_bare,
    "recorded": run_recorded,
    "stood_in": run_stood_in,
    "preserved": run_preserved,
}


def become_cheap_to_fork() -> None:
    """Prepare memory as the zygote does, which halves the processor time of a run."""
    gc.collect()
    gc.freeze()
    # Run as a script instead of importing it, so that plain processes keep no module of Stepgrad.
    runpy.run_path(str(ROOT / "app" / "sandbox" / "inside" / "syscalls.py"))["collapse_memory"]()


def main(kind: str) -> None:
    """Warm up, then serve."""
    import torch

    torch.set_num_threads(1)
    if kind == "recording":
        from app.tracer.entry import preload

        preload()
    else:
        import torch._dynamo

        torch.optim.SGD([torch.ones(1)], lr=1.0)
    become_cheap_to_fork()
    serve()


if __name__ == "__main__":
    main(sys.argv[1])
