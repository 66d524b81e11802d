"""Record programs of the tests, and compare the recordings of two environments, such as two versions of torch.

    python -m tests.matrix.recordings trixie.json                 # record the differential programs
    python -m tests.matrix.recordings bookworm.json trixie.json   # compare two such files
    python -m tests.matrix.recordings --whole before.json         # record every program of the tests, without addresses

The last command checks that a change of the recorder does not change traces: write a file before the change and one after it.

A comparison ignores ticks, addresses and the number of steps, because versions of Python divide a line into different steps. The
lines of the statements are compared as the table "statements".

Compared with Python 3.11 and torch 2.13, no program has different findings. Of the 250 differential programs, 5 differ on Python
3.12, 7 on 3.13 and 3.14, 6 with torch 2.14, and 26 with torch 2.15. app/tracer/README.md lists the reasons. Three of the
differential programs differ by chance: two have threads, whose order is random, and one has pinned memory, which depends on the
build of torch. With `--whole`, all programs with threads and `router-that-moves-in-its-forward.py` of the corpus differ by chance.
"""

import json
import platform
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import torch

from app.explain import explain
from app.trace.chunks import TABLES, Trace
from app.trace.records import Record, Step
from tests.explain.oracles.sources import sources
from tests.explain.recorded import fold
from tests.tracer.test_differential import SOURCES
from tests.tracer.workers import Process, Worker

LEFT_OUT: Final = {
    *("tick", "began", "ended", "born", "died", "freed", "released", "made_by", "step", "parent"),
    *("address", "moved", "sequence_nr"),
}
REPEATABLE: Final = {"PYTHONHASHSEED": "0", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=255"}
"""With these environment variables, sets have the same order in every process, and uninitialized memory is zero."""

ADDRESS: Final = re.compile(r"0x[0-9a-f]+|\b\d{14,15}\b|(?<=\.cpp:)\d+|(?<=\.h:)\d+")
"""Memory addresses, and line numbers in torch's source code."""
SHOWN: Final = 300
"""The maximum number of printed characters of a line."""

Tables = dict[str, list[str]]


def recorded(programs: dict[str, str], told: Callable[[Trace], Tables]) -> dict[str, Tables]:
    """Record programs. Return each trace, converted by `told` (`tables` or `whole`), by the program's name."""
    with Process("recording", **REPEATABLE) as process:
        worker = Worker("recorded", process)
        return {name: _recorded(source, worker, told) for name, source in programs.items()}


def _recorded(source: str, worker: Worker, told: Callable[[Trace], Tables]) -> Tables:
    """Record a program, and return its tables. Return only the end of a program that was killed or timed out."""
    worker.send(source)
    status, answer = worker.receive()
    return told(fold(source, answer.encode().splitlines())) if status == 0 else {"end": [f"killed, status {status}"]}


def whole(trace: Trace) -> Tables:
    """Return all records of a trace without addresses.

    Two recordings of a program with threads may differ.
    """
    found = {table: [_as_it_stands(row) for row in getattr(trace, table)] for table in TABLES}
    return found | {"end": [_as_it_stands(trace.ended)]}


def _as_it_stands(record: msgspec.Struct) -> str:
    return _plain(json.dumps(msgspec.to_builtins(record), ensure_ascii=False))


def tables(trace: Trace) -> Tables:
    """Return the records of a trace as lines of text, by table, without what differs between any two recordings."""
    found = {table: [_line(row) for row in getattr(trace, table)] for table in TABLES if table != "steps"}
    statements = [step for step in trace.steps if step.kind == "statement"]
    others = [step for step in trace.steps if step.kind != "statement"]
    document = explain(trace)
    return found | {
        "statements": [str(step.span.line if step.span else None) for step in statements],
        "operators": [_ran(step) for step in others],
        "findings": [f"{finding.kind} {finding.line}" for finding in document.findings],
        "end": [f"{type(trace.ended).__name__} {_line(trace.ended)}"],
    }


def _ran(step: Step) -> str:
    return _plain(f"{step.kind} {step.name or step.node} {step.message or ''} {step.grad_enabled} {step.autocast_dtype or ''}")


def _line(record: Record) -> str:
    kept: dict[str, Any] = {}
    for name, value in msgspec.structs.asdict(record).items():
        if name not in LEFT_OUT:
            # keep the values of facts, without their ticks
            is_facts = isinstance(value, list) and value and all(type(item) is tuple for item in value)
            kept[name] = [fact for _, fact in value] if is_facts else value
    return _plain(json.dumps(msgspec.to_builtins(kept), ensure_ascii=False))


def _plain(text: str) -> str:
    """Remove memory addresses from a text, for example from the output of a program."""
    return ADDRESS.sub("address", text)


def differences(first: dict[str, Tables], second: dict[str, Tables]) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the first difference by program and table. If only one file contains a program, all its tables differ."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for name in sorted({*first, *second}):
        one, other = first.get(name, {}), second.get(name, {})
        differing = {table: _first(one.get(table, []), other.get(table, [])) for table in sorted({*one, *other})}
        kept = {table: lines for table, lines in differing.items() if lines is not None}
        if kept:
            found[name] = kept
    return found


def _first(one: list[str], other: list[str]) -> tuple[str, str] | None:
    longest = max(len(one), len(other))
    pairs = zip(one + ["nothing"] * (longest - len(one)), other + ["nothing"] * (longest - len(other)), strict=True)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def write(path: Path, programs: dict[str, Tables]) -> None:
    versions = f"Python {platform.python_version()}, torch {torch.__version__}"
    path.write_text(json.dumps({"versions": versions, "programs": programs}), "utf-8")


def compare(*paths: Path) -> bool:
    """Print the differences between two files, and return whether the files differ."""
    one, other = (json.loads(path.read_text("utf-8")) for path in paths)
    found = differences(one["programs"], other["programs"])
    for name, differing in found.items():
        print(name)
        for table, lines in differing.items():
            print(f"  {table}", *(f"    {_around(line, lines)}" for line in lines), sep="\n")
    counted = Counter(table for differing in found.values() for table in differing)
    said = ", ".join(f"{table} {count}" for table, count in counted.most_common())
    print(f"{one['versions']} and {other['versions']}: {len(found)} of {len(one['programs'])} programs differ. {said}")
    return bool(found)


def _around(line: str, both: tuple[str, str]) -> str:
    """Return the part of a line around the first difference."""
    same = next((at for at, (a, b) in enumerate(zip(*both, strict=False)) if a != b), min(map(len, both)))
    start = max(0, same - SHOWN // 2)
    return line[start : start + SHOWN]


def main(arguments: list[str]) -> int:
    """Run the command. Return 1 if a comparison finds a difference, otherwise 0."""
    if arguments[0] == "--whole":
        write(Path(arguments[1]), recorded(sources(), whole))
    elif len(arguments) == 2:
        return int(compare(*map(Path, arguments)))
    else:
        write(Path(arguments[0]), recorded(SOURCES, tables))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
