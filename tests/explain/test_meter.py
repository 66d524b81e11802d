"""The work of explaining a run has a budget, counted in look-ups of the trace. The number of look-ups is the same on every
machine.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.explain import explain, explanations
from app.explain.finding import Finder, Finding, registered
from app.explain.findings import FINDERS
from app.explain.reading import counted
from app.explain.reading.meter import FEW, CountedDict, CountedList, Meter, Spent
from app.explain.reading.reading import Reading
from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import encode_trace
from tests.explain.test_cases import recordings
from tests.trace.header import HEADER

COUNT = """
import sys
from pathlib import Path
from app.explain.findings import FINDERS
from app.explain.reading.reading import Reading
from app.trace.codec import decode_trace
for path in sys.argv[1:]:
    reading = Reading(decode_trace(Path(path).read_bytes()))
    print([len(reading.found_by(finder)) for finder in FINDERS], reading._meter.left)
"""
DEEP = {
    "attributes": "x" + ".T" * 900 + ".add_(1)",
    "gradients": "g = x" + ".grad" * 1500,
    "indices": "x" + "[0]" * 900 + ".add_(1)",
    "calls": "x" + ".t()" * 450 + ".backward()",
    "sums": "x += " + "x + " * 900 + "x",
}


def test_every_way_to_look_is_counted() -> None:
    meter = Meter(100)
    rows = {"long": list(range(FEW + 1)), "short": [1]}
    counts, held = meter.counted(list(range(10))), meter.counted(rows)
    ways: dict[int, list[Callable[[], object]]] = {
        10: [
            lambda: list(counts),
            lambda: list(reversed(counts)),
            lambda: [*counts],
            lambda: sorted(counts),
            lambda: max(counts),
        ],
        3: [lambda: counts[2:5], lambda: [counts[0], counts[1], counts[-1]]],
        2: [lambda: list(held), lambda: list(held.keys()), lambda: [held.get("short"), held["short"]]],
        FEW + 2: [lambda: list(held["long"])],
        4: [lambda: list(held.items()), lambda: list(held.values())],
        0: [lambda: 3 in counts, lambda: len(counts), lambda: "long" in held],
    }
    for looks, each in ways.items():
        for way in each:
            left = meter.left
            with meter.at_most(50):
                way()
                assert meter.left == left - 50
            assert meter.left == left - looks
            meter.left = left
    assert counts == list(range(10)) and held == rows and isinstance(counts, CountedList) and isinstance(held, CountedDict)


def test_what_is_spent_stays_spent() -> None:
    meter = Meter(15)
    counts = meter.counted(list(range(10)))
    with pytest.raises(Spent), meter.at_most(5):
        list(counts)
    with meter.at_most(20):
        assert list(counts) == list(range(10))
        with pytest.raises(Spent):
            next(iter(counts))
        with pytest.raises(Spent):
            list(counts)
    assert meter.left == 0


def endless(reading: Reading) -> list[Finding]:
    """Look up steps in an endless loop."""
    while True:
        found = [Finding(kind="endless", severity="hint", tick=step.began) for step in reading.trace.steps]
        assert found


def test_a_finder_that_looks_too_long_tells_nothing_and_the_others_all(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recordings()["s57"]
    whole = explain(trace)
    monkeypatch.setitem(
        registered, "endless", Finder(endless, after=(), of_the_sandbox=False, needs_the_end=False, is_last=False)
    )
    monkeypatch.setattr("app.explain.FINDERS", {"endless": registered["endless"], **FINDERS})
    monkeypatch.setattr(counted, "LOOKS", 1000)
    monkeypatch.setattr(counted, "LOOKS_PER_RECORD", 0)
    parts = list(explanations(trace))
    assert [part.is_finished for part in parts] == [False, *[True] * len(FINDERS)] and parts[0].findings == []
    assert explain(trace).findings == whole.findings and explain(trace).unfinished == 1


def test_all_finders_together_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recordings()["s57"]
    whole = [part.findings for part in explanations(trace)]
    unfinished: dict[int, int] = defaultdict(int)
    for most in (0, 100, 300, 1000, 3000):
        monkeypatch.setattr(counted, "MOST_LOOKS", most)
        parts = list(explanations(trace))
        assert all(not part.findings or part.findings == there for part, there in zip(parts, whole, strict=True))
        assert parts == list(explanations(trace))
        unfinished[most] = sum(not part.is_finished for part in parts)
    assert unfinished[0] > unfinished[300] > unfinished[3000] == 0


def test_no_machine_counts_otherwise(tmp_path: Path) -> None:
    paths = []
    for case in ("s11", "s55", "s66d", "s57", "s35", "s51"):
        paths.append(tmp_path / case)
        paths[-1].write_bytes(encode_trace(recordings()[case]))
    said = [
        subprocess.run(
            [sys.executable, "-c", COUNT, *map(str, paths)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] and len(said[0].splitlines()) == len(paths)


@pytest.mark.parametrize("name", DEEP)
def test_an_expression_deeper_than_python_calls_is_read_all_the_same(name: str) -> None:
    span = {"line": 1, "column": 0, "end_line": 1, "end_column": len(DEEP[name])}
    step = {"began": 2, "ended": 5, "frame": 0, "span": span}
    raised = {"id": 1, "kind": "exception", "name": "RuntimeError", "message": "", "began": 3, "ended": 3, "parent": 0}
    tables = {
        "frames": [{"id": 0, "function": "<module>", "began": 0, "line": 1}],
        "steps": [{"id": 0, "kind": "statement", **step}, {**step, **raised}],
        "names": [{"id": 0, "path": "x", "frame": 0, "tensor": [[1, 0]]}],
        "tensors": [{"id": 0, "born": 1, "type": "Tensor", "requires_grad": [[1, True]], "is_leaf": [[1, True]]}],
    }
    head = {"source": DEEP[name], "header": msgspec.to_builtins(HEADER), "ended": {"kind": "finished"}}
    trace = msgspec.convert({**head, **tables}, Trace)
    check(trace)
    assert explain(trace).unfinished == 0


def test_all_fixes_together_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recordings()["s57"]
    assert [fix for finding in explain(trace).findings for fix in finding.fixes]
    monkeypatch.setattr(counted, "MOST_REWRITTEN", len(trace.source) - 1)
    assert [finding.fixes for finding in explain(trace).findings] == [[], []]
