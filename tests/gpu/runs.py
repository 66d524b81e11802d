"""Run snippets on a device, with and without the recorder."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.records import Geometry, Unknown
from tests.gpu.case import Case
from tests.gpu.machine import first_device
from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.differential import differences
from tests.tracer.reading import Reading
from tests.tracer.workers import How, Process, Worker

SNIPPETS = Path(__file__).parent / "snippets"
NO_DEVICE = {"CUDA_VISIBLE_DEVICES": ""}
"""Environment variables of a process in which no GPU is visible."""


def spelled(text: str, device: str) -> str:
    """Replace "cuda" in a snippet, or in its output, by this device."""
    if device == "cuda":
        return text
    text = re.sub(r",\s+device='cuda:0'", "", text)
    text = text.replace("[torch.cuda.", "[torch.").replace("'torch.cuda.", "'torch.")
    return (
        text.replace("torch.cuda.", "torch.cpu.").replace("cuda:0", "cpu").replace('"cuda"', '"cpu"').replace("'cuda'", "'cpu'")
    )


class Runs:
    """Processes that have imported torch and fork for each run. The processes start on first use, and end with this process."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self._environment = first_device() if environment is None else environment

    @cached_property
    def _plain(self) -> Process:
        return Process("plain", **self._environment)

    @cached_property
    def _recording(self) -> Process:
        return Process("recording", **self._environment)

    def plain(self, source: str) -> dict[str, Any]:
        """Return torch's state after each statement, in a run without a recorder."""
        said: dict[str, Any] = json.loads(Worker("plain", self._plain).answer(source))
        return said

    def bare(self, source: str) -> dict[str, Any]:
        """Return output, warnings and exception of a run without a recorder."""
        said: dict[str, Any] = json.loads(Worker("bare", self._plain).answer(source))
        return said

    def recorded(self, source: str, how: How = "recorded") -> Trace:
        """Record a snippet, and return its valid trace."""
        trace = folded(source, Worker(how, self._recording).answer(source).encode().splitlines())
        check(trace)
        return trace


class Program:
    """A program in `snippets/` with its expected output."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")
        self.name = path.stem
        first, _, rest = text.partition("\n")
        self.needs_cuda = first.removeprefix("# needs cuda: ") if first.startswith("# needs cuda: ") else None
        source, _, printed = (rest if self.needs_cuda else text).partition("\n\n# ")
        self.source = source + "\n"
        self.printed = [line.removeprefix("# ") for line in printed.splitlines()]
        """The lines of the expected output; empty if it depends on the device or on the order of additions."""


def programs(theme: str) -> list[Program]:
    """Return the programs in a folder of `snippets/`."""
    return [Program(path) for path in sorted((SNIPPETS / theme).glob("*.py"))]


def cases(made: Runs, theme: str, device: str) -> list[Case]:
    """Return a case for each program of a folder: its trace is complete and agrees with a run without a recorder."""

    def case(program: Program) -> Case:
        return Case(program.name, lambda: holds(made, program, device), program.needs_cuda)

    return [case(program) for program in programs(theme)]


def holds(made: Runs, program: Program, device: str) -> None:
    """Raise AssertionError if the trace of a program is wrong."""
    source = spelled(program.source, device)
    trace = made.recorded(source)
    found = falsehoods(made, source, trace)
    expected = [spelled(line, device) for line in program.printed]
    printed = said_by(trace)["stdout"].splitlines()
    if expected and printed != expected:
        found.append(f"printed {printed}, expected {expected}")
    found += unknown(trace)
    if device == "cuda" and not any(geometry.device == "cuda:0" for geometry in geometries(trace)):
        found.append("no tensor of it was on cuda:0")
    assert not found, "\n".join(found)


def falsehoods(made: Runs, source: str, trace: Trace) -> list[str]:
    """Return the differences between a trace and a run without a recorder."""
    untold, told = made.bare(source), said_by(trace)
    found = [f"{what}: torch {untold[what]!r}, trace {told[what]!r}" for what in told if told[what] != untold[what]]
    return found + differences(made.plain(source), trace)


def geometries(trace: Trace) -> Iterator[Geometry]:
    for tensor in trace.tensors:
        for _, geometry in tensor.geometry:
            yield geometry


def unknown(trace: Trace) -> list[str]:
    """Return facts that the trace lacks at the end although torch has them. Comparisons skip such facts."""
    end = Reading(trace).end
    found = []
    for name, tensor in end.names.items():
        state = end.state.tensor(tensor)
        found += [
            f"{name}.{what} is unknown"
            for what in ("version", "is_leaf", "grad_fn")
            if isinstance(getattr(state, what), Unknown)
        ]
        elements = end.state.elements(tensor)
        if isinstance(elements, Unknown):
            found.append(f"{name}: {elements.reason}")
    return found
