"""Run a program in three ways: without a recorder, with `record()`, and in the sandbox.

The first two ways fork a process for each program.
"""

import contextlib
import io
import json
import linecache
import os
import resource
import signal
import sys
import traceback
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.explain import explain
from app.explain.finding import Finding
from app.sandbox.sandbox import Sandbox
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.external import adapting
from tests.external.sources import FOLDER
from tests.sandbox.traced import traced

LIMITS = Limits(wall_seconds=600.0, cpu_seconds=120)
"""The default limits of recordings, but with long timeouts, because the machine may be busy."""
SECONDS = 600
"""The limit of processor time in seconds for a process that runs a program."""
TOLD = ("warning", "error")
"""The severities of findings that count as warnings about a program."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """The result of a run.

    `end` is "finished", a limit, or an error. If `is_cut`, the output may be incomplete.
    """

    end: str
    output: str
    seconds: float
    is_cut: bool = False
    findings: tuple[str, ...] = ()


def plain(name: str, text: str) -> Run:
    """Run the program without a recorder."""
    return _forked(name, "plain", text, records=False)


def under_record(name: str, text: str) -> Run:
    """Run the program within `with stepgrad.record()`."""
    return _forked(name, "record", text, records=True)


async def in_sandbox(sandbox: Sandbox, text: str) -> Run:
    """Run the program in the sandbox, as the page does."""
    run = await traced(sandbox.run(Request(source=text, limits=LIMITS)))
    output = "".join(output.text for output in run.trace.outputs if output.stream == "stdout")
    return Run(
        end=_end(run.trace),
        output=output,
        seconds=run.cost.cpu_seconds,
        is_cut=not isinstance(run.trace.ended, Finished),
        findings=_accusations(run.trace),
    )


def _forked(name: str, way: str, text: str, *, records: bool) -> Run:
    """Run the text in a fork of this process, which has already imported torch."""
    folder = FOLDER / "runs" / "".join(letter if letter.isalnum() else "_" for letter in name)
    folder.mkdir(parents=True, exist_ok=True)
    output, said = folder / f"{way}.txt", folder / f"{way}.json"
    said.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _become(folder / f"{way}.py", text, output, said, records=records)
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    answer: dict[str, Any] = (
        json.loads(said.read_text()) if said.exists() else {"end": f"crashed: {_signal(status)}", "findings": []}
    )
    printed = output.read_text(errors="replace")
    return Run(end=answer["end"], output=printed, seconds=seconds, findings=tuple(answer["findings"]))


def _become(path: Path, text: str, output: Path, said: Path, *, records: bool) -> None:
    """In the child process, run the text, write its output and its end to files, and exit."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        path.write_text(text)
        source, output, said = path.absolute(), output.absolute(), said.absolute()
        os.chdir(path.parent)
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(os.open(output.with_suffix(".err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), line_buffering=True)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), line_buffering=True)
        end, trace = _executed(source, text)
        sys.stdout.flush()
        found = _accusations(trace) if trace is not None else ()
        if records and trace is None:
            end = f"was not recorded, and {end}"
        elif trace is not None and end == "finished" and not isinstance(trace.ended, Finished):
            end = f"went on after {_end(trace)}"
        said.write_text(json.dumps({"end": end, "findings": found}))
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(0)


def _executed(path: Path, text: str) -> tuple[str, Trace | None]:
    """Run the text as `__main__`. Return how it ended, and the trace of its recording."""
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    sys.modules["__main__"] = main
    linecache.checkcache()
    end = "finished"
    try:
        exec(compile(text, str(path), "exec"), main.__dict__)
    except SystemExit as exit_:
        end = f"exited with {exit_.code}"
    except Exception as raised:
        traceback.print_exc()
        end = f"raised {type(raised).__name__}: {raised}"
    recording = main.__dict__.get("_recording")
    return end, None if recording is None else recording.trace


def _accusations(trace: Trace) -> tuple[str, ...]:
    """Return the kind and the line of each warning and error about a run."""
    return tuple(_said(finding) for finding in explain(trace).findings if finding.severity in TOLD)


def _said(finding: Finding) -> str:
    return f"{finding.kind} (line {finding.line})"


def _end(trace: Trace) -> str:
    ended = trace.ended
    kind = type(ended).__name__
    known = {
        name: getattr(ended, name) for name in ended.__struct_fields__ if name in ("limit", "clock", "type", "message", "code")
    }
    if isinstance(ended, Finished):
        return "finished"
    return f"{kind} {', '.join(str(value) for value in known.values())}".strip()


def _signal(status: int) -> str:
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {os.waitstatus_to_exitcode(status)}"


def text_for(way: str, before: str, program: str) -> str:
    """Return the complete text of a program for one of the three ways."""
    block = adapting.recorded(program) if way == "record" else program
    return f"{before}{block}{adapting.epilogue()}"
