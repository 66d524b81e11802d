"""Run a snippet in a fork, as the sandbox does: without the recorder, recorded, or its forward with TorchLens.

A snippet defines `model` and `x`, and a list `clock` with the processor times at the start, after the forward, and at the
end.
"""

import gc
import gzip
import json
import os
import sys
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

from app.explain import explain
from app.sandbox.inside import syscalls
from app.trace.check import check
from app.trace.chunks import Folding
from app.trace.codec import decode_chunk, encode_trace
from app.trace.ends import Finished, Interfered
from app.trace.heads import content_of
from app.trace.records import Request
from app.trace.requests import encode_request
from app.tracer import adapter, entry
from app.tracer.recording import header
from app.tracer.statements import program
from app.tracer.statements.lines import LineWatch

SNIPPETS = Path(__file__).parent / "snippets"
PACKED = 5
"""The gzip level of responses."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """The measurements of one run: processor time in seconds, and sizes of the compressed trace in bytes."""

    forward: float = 0.0
    whole: float = 0.0
    nbytes: int = 0
    packed_nbytes: int = 0
    explained: float = 0.0
    """The time to find all findings."""
    calls: dict[str, int] | None = None
    """The number of calls of the recorder's functions by module; empty if they were not counted."""


def snippet(name: str) -> str:
    return (SNIPPETS / f"{name}.py").read_text("utf-8")


@cache  # torch accepts the number of threads only once
def warm_up() -> None:
    """Bring this process into the state in which the zygote forks (app/sandbox/inside/zygote.py)."""
    gc.disable()
    entry.preload()
    gc.collect()
    gc.freeze()
    syscalls.collapse_memory()


def plainly(source: str) -> Run:
    """Run the snippet without a recorder."""
    variables = _executed(source)
    return _clocked(variables["clock"])


def recorded(source: str) -> Run:
    """Record the snippet. Raises AssertionError if the snippet does not finish."""
    return _recorded(Request(source=source))


def preserved(source: str) -> Run:
    """Record the snippet with copies of the saved tensors, as for computing corrected gradients."""
    return _recorded(Request(source=source, keep_saved=True))


def _recorded(request: Request) -> Run:
    payloads: list[bytes] = []
    entry.run(encode_request(request), payloads.append)
    clock = vars(sys.modules["__main__"]).get("clock", [0.0])
    folding = Folding(request.source)
    for payload in payloads:
        folding.add(decode_chunk(content_of(payload)))
    trace = folding.trace(Interfered(reason="Cut."), header(request))
    check(trace)
    assert isinstance(trace.ended, Finished), f"the recording ended as {trace.ended}"
    stored = encode_trace(trace)
    began = process_time()
    explain(trace)
    explained = process_time() - began
    run = _clocked(clock)
    packed = len(gzip.compress(stored, PACKED))
    return Run(forward=run.forward, whole=run.whole, nbytes=len(stored), packed_nbytes=packed, explained=explained)


def counted(source: str) -> Run:
    """Count the calls of the recorder's functions by module.

    Unlike processor time, the number of calls is the same on every machine. `sys.setprofile` does not see calls in a trace
    function or while tracing is paused, so the recorder's hooks are replaced.
    """
    calls: Counter[str] = Counter()
    stack = adapter.stack
    leave, enter = stack.resume_tracing, stack.pause_tracing

    def count(frame: types.FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(program.RECORDER):
            calls[frame.f_code.co_filename[len(program.RECORDER) + 1 :].partition("/")[0].removesuffix(".py")] += 1

    def shown(handler: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: LineWatch, frame: types.FrameType, *rest: object) -> Any:
            leave()
            try:
                return handler(self, frame, *rest)
            finally:
                enter()

        return call

    for name in ("_call", "_line", "_return", "_exception"):
        setattr(LineWatch, name, shown(getattr(LineWatch, name)))
    stack.pause_tracing = stack.resume_tracing = lambda: None
    sys.setprofile(count)
    entry.run(encode_request(Request(source=source)), lambda payload: None)
    sys.setprofile(None)
    return Run(calls=dict(calls))


def under_torchlens(source: str) -> Run:
    """Run the snippet's forward with TorchLens, which logs every operator and keeps its output."""
    import torch
    import torchlens

    warnings.simplefilter("ignore")  # TorchLens warns that a forward in training mode changes running statistics
    torchlens.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))
    variables = _executed(source.partition("clock = ")[0])
    seconds = []
    for _ in range(2):  # the first run of TorchLens is slower
        began = process_time()
        torchlens.trace(variables["model"], variables["x"])
        seconds.append(process_time() - began)
    return Run(forward=min(seconds))


def forked(how: Callable[[str], Run], source: str) -> Run:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        status = 1
        try:
            gc.enable()
            for _ in entry.warm_up():  # the standby child of the zygote does the same
                pass
            with os.fdopen(writer, "w") as pipe:
                json.dump(asdict(how(source)), pipe)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not said:
        raise ChildProcessError(f"The run of {how.__name__} failed; see its error output above.")
    return Run(**json.loads(said))


def _executed(source: str) -> dict[str, Any]:
    """Execute the snippet with the seed and in the module of a recorded run, and return its variables."""
    import torch

    torch.manual_seed(0)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(compile(source, program.FILENAME, "exec"), module.__dict__)
    return module.__dict__


def _clocked(clock: list[float]) -> Run:
    return Run(forward=clock[1] - clock[0] if len(clock) > 2 else 0.0, whole=clock[-1] - clock[0])
