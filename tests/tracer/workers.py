"""Run snippets in forks of processes that have already imported torch, with or without a recorder.

    with Process("recording") as process:
        chunks = Worker("recorded", process).answer("import torch")

Processes of the kind "plain" import nothing of Stepgrad.
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
"""The timeout of a snippet in seconds."""


class Process:
    """A process that forks for every snippet, and answers requests in order."""

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
        """Send a request. The process handles the request after all earlier ones."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(line + "\n")
        self._popen.stdin.flush()

    def receive(self) -> str:
        assert self._popen.stdout is not None
        return self._popen.stdout.readline()


class Worker:
    """Runs snippets in one way, such as "recorded". Several workers can share a process."""

    def __init__(self, how: How, process: Process) -> None:
        self._how = how
        self._process = process

    def send(self, source: str, **options: Any) -> None:
        """Send a snippet without waiting for the result.

        Options are the limits of a recording, or the keyword arguments of a run without a recorder, such as `probes`.
        """
        self._process.send(json.dumps([self._how, source, options]))

    def receive(self) -> tuple[int, str]:
        """Return the exit status and the result of the earliest snippet without a result: one JSON object, or one chunk per
        line.
        """
        said = json.loads(self._process.receive())
        return int(said["status"]), str(said["answer"])

    def answer(self, source: str, **options: Any) -> str:
        """Run a snippet and return its result. Raises AssertionError if the snippet's process died."""
        self.send(source, **options)
        status, answer = self.receive()
        assert status == 0, f"the snippet's process ended with status {status}: {answer[-2000:]}"
        return answer


Run = Callable[[str, dict[str, Any], Callable[[str], None]], None]


def serve() -> None:
    """Read requests from stdin, run each in a fork, and print the fork's result."""
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
    """Create torch's thread pool in the fork. Without this, several threads could create it at the same time."""
    import torch

    torch.set_num_threads(torch.get_num_threads())


def write(pipe: Any, text: str) -> None:
    """Write all of `text`. One call of `pipe.write` may write only a part."""
    content = memoryview(text.encode())
    while content:
        content = content[pipe.write(content) :]


def run_plain(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Return torch's state after each statement."""
    from tests.tracer.differential import plain

    warnings.simplefilter("ignore")  # reading some attributes of tensors causes warnings
    answer(json.dumps(plain(source)))


def run_bare(source: str, options: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Run without a recorder. Return answers to questions, states around lines, or by default output, warnings and exception."""
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
    """Record the snippet. Return each chunk as soon as the recorder emits it."""
    from app.trace.heads import content_of
    from app.trace.records import Limits, Request
    from app.trace.requests import encode_request
    from app.tracer.entry import run

    request = Request(source=source, limits=Limits(**limits), **asked)
    run(encode_request(request), lambda payload: answer(content_of(payload).decode() + "\n"))


def run_stood_in(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    run_recorded(source, limits, answer, stand_in=True)


def run_preserved(source: str, limits: dict[str, Any], answer: Callable[[str], None]) -> None:
    """Record the snippet with copies of the tensors that autograd saves."""
    run_recorded(source, limits, answer, keep_saved=True)


RUNS: dict[How, Run] = {
    "plain": run_plain,
    "bare": run_bare,
    "recorded": run_recorded,
    "stood_in": run_stood_in,
    "preserved": run_preserved,
}


def become_cheap_to_fork() -> None:
    """Prepare the memory for forking, as the zygote does. Preparing the memory halves the processor time of each run."""
    gc.collect()
    gc.freeze()
    # `run_path` runs the file without importing a module of Stepgrad.
    runpy.run_path(str(ROOT / "app" / "sandbox" / "inside" / "syscalls.py"))["collapse_memory"]()


def main(kind: str) -> None:
    """Import torch, then run snippets."""
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
