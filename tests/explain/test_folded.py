"""Findings for small hand-written traces. In each, a Node saves `h` and a write changes `h`; what follows differs."""

from dataclasses import dataclass
from typing import Any

import msgspec

from app.explain import Finding, explain
from app.explain.finding import MOST_FINDINGS, MOST_FIXED
from app.trace.check import check
from app.trace.chunks import Chunk, Folding, Trace
from app.trace.ends import Finished, Raised
from tests.trace.header import HEADER

SOURCE = "y = h * h\nh += 1\ny.backward()\n"
GEOMETRY = {
    "dtype": "float32",
    "device": "cpu",
    "layout": "strided",
    "shape": [1],
    "stride": [1],
    "storage_offset": 0,
    "storage": 0,
}
SAVED, WRITTEN, RUN = 2, 4, 6
PLAIN = ((0, 2.0), (WRITTEN, 3.0))


def span(line: int) -> dict[str, int]:
    return {"line": line, "column": 0, "end_line": line, "end_column": len(SOURCE.splitlines()[line - 1])}


@dataclass
class Story:
    """Builds a trace: line 1 saves a tensor at tick 2, line 2 writes to it at tick 4, and line 3 runs backward at tick 6."""

    bumped: bool = True
    changed: bool = True
    ran: bool = True
    refused: bool = False
    released: int | None = None
    slot: str = "self"
    values: tuple[tuple[int, float], ...] = PLAIN
    restored: tuple[tuple[int, None], ...] = ()

    def trace(self) -> Trace:
        folding = Folding(SOURCE)
        chunk = {"header": msgspec.to_builtins(HEADER), "steps": self._steps(), **self._tables(), **self._saved()}
        folding.add(msgspec.convert(chunk, Chunk))
        trace = folding.trace(Raised(type="RuntimeError", message="", line=3) if self.refused else Finished(), HEADER)
        check(trace)
        return trace

    def _steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = [
            {"id": 0, "kind": "statement", "began": 1, "ended": 2, "span": span(1), "frame": 0},
            {"id": 1, "kind": "statement", "began": 3, "ended": 4, "span": span(2), "frame": 0},
            {"id": 2, "kind": "statement", "began": 5, "ended": 9, "span": span(3), "frame": 0},
        ]
        if self.ran:
            steps.append({"id": 3, "kind": "node", "began": RUN, "ended": 7, "parent": 2, "node": 0})
        if self.refused:
            steps.append({"id": 4, "kind": "exception", "began": 8, "ended": 8, "parent": 2, "name": "RuntimeError"})
        return steps

    def _tables(self) -> dict[str, Any]:
        contents = [[tick, {"kind": "cells", "dtype": "float32", "values": [value]}] for tick, value in self.values]
        tensor = {"id": 0, "born": 0, "type": "Tensor", "geometry": [[0, GEOMETRY]], "version_counter": [[0, 0]]}
        storage = {"id": 0, "born": 0, "device": "cpu", "address": "0x0", "nbytes": [[0, 4]], "contents": contents}
        node = {"id": 0, "name": "MulBackward0", "born": SAVED, "made_by": 0, "sequence_nr": 0, "edges": [], "inputs": []}
        return {
            "frames": [{"id": 0, "function": "<module>", "began": 0, "line": 1}],
            "names": [{"id": 0, "path": "h", "frame": 0, "tensor": [[0, 0]]}],
            "tensors": [tensor],
            "storages": [storage],
            "version_counters": [{"id": 0, "version": [[0, 0], [WRITTEN, 1]] if self.bumped else [[0, 0]]}],
            "nodes": [node],
        }

    def _saved(self) -> dict[str, Any]:
        write: dict[str, Any] = {
            "id": 0,
            "tick": WRITTEN,
            "step": 1,
            "storage": 0,
            "begin": 0,
            "end": 4,
            "tensor": 0,
            "operator": "aten::add_",
            "version_counter": 0 if self.bumped else None,
            "version": 1 if self.bumped else None,
            "changed": self.changed,
        }
        saved: dict[str, Any] = {
            "id": 0,
            "node": 0,
            "name": self.slot,
            "tick": SAVED,
            "tensor": 0,
            "geometry": GEOMETRY,
            "version_counter": 0,
            "version": 0,
            "released": self.released,
            "outdated": [[WRITTEN, 0]] if self.bumped else [],
            "overwritten": [[WRITTEN, 0], *self.restored] if self.changed else [],
        }
        return {"writes": [write], "saved_tensors": [saved]}


def findings(story: Story) -> list[Finding]:
    return explain(story.trace()).findings


def only(story: Story) -> Finding:
    (finding,) = findings(story)
    return finding


def test_needed_and_refused() -> None:
    finding = only(Story(refused=True))
    assert (finding.kind, finding.severity, finding.line, finding.tick) == ("stale_saved_tensor", "error", 3, WRITTEN)
    assert finding.steps == [0, 1, 2] and finding.step == 2
    assert (finding.saved_tensors, finding.tensors, finding.storages) == ([0], [0], [0])
    assert finding.fixes[0].source == "y = h * h\nh = h + 1\ny.backward()\n"


def test_outdated_and_still_waiting() -> None:
    finding = only(Story(ran=False))
    assert (finding.severity, finding.line, finding.steps) == ("warning", 2, [0, 1])


def test_outdated_and_let_go() -> None:
    assert findings(Story(ran=False, released=8)) == []


def test_the_same_bytes_written_again() -> None:
    assert only(Story(changed=False, refused=True)).arguments["bytes"] == "idle"


def test_overwritten_and_used() -> None:
    finding = only(Story(bumped=False, released=7))
    assert (finding.kind, finding.line, finding.tick) == ("silently_wrong_gradient", 2, WRITTEN)
    assert (finding.severity, finding.arguments["effect"]) == ("warning", "unknown"), "no gradient was recorded"
    assert finding.steps == [0, 1, 2] and finding.step == 1


def test_overwritten_and_still_waiting() -> None:
    finding = only(Story(bumped=False, ran=False))
    assert (finding.severity, finding.steps) == ("warning", [0, 1])


def test_overwritten_and_let_go() -> None:
    assert findings(Story(bumped=False, ran=False, released=8)) == []


def test_overwritten_and_put_back() -> None:
    assert findings(Story(bumped=False, restored=((5, None),))) == []


def test_overwritten_used_and_put_back() -> None:
    assert only(Story(bumped=False, restored=((RUN + 1, None),))).steps == [0, 1, 2]


def test_overwritten_to_what_nobody_saw() -> None:
    assert only(Story(bumped=False, values=())).kind == "silently_wrong_gradient"


def test_running_statistics_are_written_at_every_forward() -> None:
    assert findings(Story(bumped=False, slot="running_mean")) == []


def test_nothing_written() -> None:
    assert findings(Story(bumped=False, changed=False)) == []


def test_one_finding_for_all_that_one_line_saved_and_one_wrote() -> None:
    trace = Story(ran=False).trace()
    saves = [msgspec.structs.replace(trace.saved_tensors[0], id=number) for number in range(1000)]
    (finding,) = explain(msgspec.structs.replace(trace, saved_tensors=saves)).findings
    assert len(finding.saved_tensors) == 1000


def test_findings_of_a_kind_are_bounded() -> None:
    trace = Story(ran=False).trace()
    nodes = [msgspec.structs.replace(trace.nodes[0], id=number, name=f"N{number}") for number in range(1000)]
    saves = [msgspec.structs.replace(trace.saved_tensors[0], id=number, node=number) for number in range(1000)]
    found = explain(msgspec.structs.replace(trace, nodes=nodes, saved_tensors=saves)).findings
    assert len(found) == MOST_FINDINGS
    assert sum(bool(finding.fixes) for finding in found) == MOST_FIXED


def test_a_deeply_nested_trace_is_read_in_linear_time() -> None:
    trace = Story(refused=True).trace()
    node = msgspec.structs.replace(trace.steps[3], ended=None)
    deep = [msgspec.structs.replace(node, id=number, parent=number - 1) for number in range(3, 50_000)]
    raised = msgspec.structs.replace(trace.steps[4], id=50_000)
    steps = [*trace.steps[:2], msgspec.structs.replace(trace.steps[2], ended=None), *deep, raised]
    assert len(explain(msgspec.structs.replace(trace, steps=steps)).findings) == 1  # quadratic time would mean minutes
