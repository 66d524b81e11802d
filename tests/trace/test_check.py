"""`check` accepts valid traces, and reports the record in which a test corrupted one value."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import msgspec
import pytest
from hypothesis import given

from app.trace.check import TraceInvalid, check
from app.trace.chunks import Trace
from tests.trace.generated import SOME, example, traces

CORRUPTIONS: dict[str, tuple[str, Any]] = {
    # path of the corrupted value: (record in the error message, corrupt value)
    "header.format": ("header.format", 99),
    "steps.1.id": ("steps[1].id", 0),
    "tensors.1.id": ("tensors[1].id", 7),
    "steps.1.began": ("steps[2].began", 6),
    "steps.0.ended": ("steps[0].ended", 0),
    "steps.1.ended": ("steps[3].ended", 8),
    "steps.2.ended": ("steps[2].ended", None),
    "steps.2.parent": ("steps[2].parent", 2),
    "steps.3.parent": ("steps[3].parent", 99),
    "steps.3.frame": ("steps[3].frame", 1),
    "steps.3.node": ("steps[3].node", 2),
    "steps.3.kind": ("steps[3].node", "operator"),
    "steps.2.name": ("steps[2].name", None),
    "steps.0.name": ("steps[0].name", "f"),
    "frames.0.parent": ("frames[0].parent", 0),
    "frames.0.began": ("names[0].tensor", 4),
    "outputs.0.tick": ("outputs[1].tick", 10),
    "names.0.frame": ("names[0].frame", 1),
    "names.0.tensor.1.1": ("names[0].tensor", 5),
    "names.0.tensor.1.0": ("names[0].tensor", 2),
    "names.0.is_buffer.1.0": ("names[0].is_buffer", 2),
    "variables.0.frame": ("variables[0].frame", 1),
    "variables.0.value.1.0": ("variables[0].value", 2),
    "variables.0.value.0.1.address": ("variables[0].address", "0x10"),
    "variables.0.value.0.1.kind": ("variables[0].address", "array"),
    "variables.0.id": ("variables[0].id", 1),
    "tensors.0.born": ("tensors[0].geometry", 3),
    "tensors.0.died": ("tensors[0].grad", 8),
    "tensors.1.died": ("tensors[1].died", 1),
    "tensors.0.geometry.0.1.storage": ("tensors[0].geometry.storage", 2),
    "tensors.0.geometry.0.1.stride": ("tensors[0].geometry.stride", [1, 1]),
    "tensors.0.version_counter.0.1": ("tensors[0].version_counter", 1),
    "tensors.0.grad.0.1": ("tensors[0].grad", 2),
    "tensors.1.base.0.1": ("tensors[1].base", 2),
    "tensors.1.made_by": ("tensors[1].made_by", 5),
    "tensors.1.grad_fn": ("tensors[1].grad_fn", [[2, {"kind": "grad_fn", "node": 2, "output_nr": 0}]]),
    "storages.0.freed": ("storages[0].freed", 1),
    "storages.0.born": ("storages[0].nbytes", 3),
    "storages.0.contents.0.1.values": ("storages[0].contents", [1.0, 1.0, 1.0]),
    "storages.1.nbytes.1.0": ("storages[1].nbytes", 1),
    "version_counters.0.version.1.0": ("version_counters[0].version", 1),
    "writes.0.step": ("writes[0].step", 5),
    "writes.0.storage": ("writes[0].storage", 2),
    "writes.0.tensor": ("writes[0].tensor", 2),
    "writes.0.version_counter": ("writes[0].version_counter", 1),
    "writes.0.begin": ("writes[0].end", 9),
    "writes.0.end": ("writes[0].end", 9),
    "modules.0.parent": ("modules[0].parent", 0),
    "modules.1.parent": ("modules[1].parent", 2),
    "nodes.0.module": ("nodes[0].module", 2),
    "nodes.0.made_by": ("nodes[0].made_by", 5),
    "nodes.0.freed": ("nodes[0].freed", 5),
    "nodes.1.variable": ("nodes[1].variable", 2),
    "nodes.0.edges.0.node": ("nodes[0].edges", 2),
    "nodes.1.edges": ("nodes[0].edges", [{"node": 0, "input_nr": 0}]),
    "saved_tensors.0.node": ("saved_tensors[0].node", 2),
    "saved_tensors.0.tensor": ("saved_tensors[0].tensor", 2),
    "saved_tensors.0.version_counter": ("saved_tensors[0].version_counter", 1),
    "saved_tensors.0.geometry.storage": ("saved_tensors[0].geometry.storage", 2),
    "saved_tensors.0.released": ("saved_tensors[0].released", 5),
    "saved_tensors.0.tick": ("saved_tensors[0].outdated", 8),
    "saved_tensors.0.outdated": ("saved_tensors[0].outdated", [[7, 0], [8, 0]]),
    "saved_tensors.0.overwritten": ("saved_tensors[0].overwritten", [[7, None], [8, 0]]),
    "saved_tensors.0.overwritten.0.1": ("saved_tensors[0].overwritten", 1),
    "gradients.0.step": ("gradients[0].step", 5),
    "gradients.0.node": ("gradients[0].node", 2),
    "gradients.0.to": ("gradients[0].to", 2),
    "gradients.0.edge": ("gradients[0].edge", 2),
    "gradients.0.shape": ("gradients[0].value", [3]),
    "steps.1.result": ("steps[1].result", 2),
    "hooks.0.step": ("hooks[0].step", 5),
    "hooks.0.tensor": ("hooks[0].tensor", 2),
    "hooks.0.tick": ("hooks[1].tick", 11),
}


def corrupted(path: str, value: Any) -> Trace:
    tree = msgspec.to_builtins(example())
    place = tree
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        if isinstance(place[part], tuple):
            place[part] = list(place[part])
        place = place[part]
    place[last] = value
    return msgspec.convert(tree, Trace)


@pytest.mark.parametrize("path", CORRUPTIONS)
def test_each_corruption_is_found_where_it_is(path: str) -> None:
    where, value = CORRUPTIONS[path]
    with pytest.raises(TraceInvalid) as caught:
        check(corrupted(path, value))
    assert caught.value.record == where, caught.value


def test_the_example_passes() -> None:
    check(example())


@pytest.mark.sweep
@SOME
@given(traces())
def test_honest_traces_pass(trace: Trace) -> None:
    check(trace)


def test_overlapping_siblings_are_found() -> None:
    steps = example().steps
    late = msgspec.structs.replace(steps[0], ended=5)
    with pytest.raises(TraceInvalid, match=r"steps\[1\].began is 4, expected the end of steps\[0\], 5, or later"):
        check(msgspec.structs.replace(example(), steps=[late, *steps[1:]]))


def test_a_frame_that_ends_before_it_began_is_found() -> None:
    frame = msgspec.structs.replace(example().frames[0], began=3, ended=2)
    with pytest.raises(TraceInvalid, match=r"frames\[0\].ended is 2"):
        check(msgspec.structs.replace(example(), frames=[frame]))


def test_a_tensor_beyond_its_storage_is_legal() -> None:
    check(corrupted("tensors.0.geometry.0.1.shape", [9]))


def test_work_grows_with_size_only() -> None:
    """Checking a trace with ten times as many records takes at most ten times as many calls."""
    calls = []
    for count in (300, 3_000):
        trace = example()
        nodes = [
            msgspec.structs.replace(trace.nodes[0], id=i, made_by=None, edges=[trace.nodes[0].edges[0]] * 5 if i != 1 else [])
            for i in range(count)
        ]
        trace = msgspec.structs.replace(trace, nodes=nodes)
        calls.append(calls_of(lambda trace=trace: check(trace)))  # type: ignore[misc]
    assert calls[1] < 11 * calls[0]


def calls_of(work: Callable[[], None]) -> int:
    """Return the number of function calls during `work`. Unlike a duration, it does not depend on the machine."""
    count = 0

    def counted(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
