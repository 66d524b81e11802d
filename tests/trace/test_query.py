"""Queries on a trace return the same results as a simple replay or an element-by-element computation."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.index import Index
from app.trace.overlap import extent, hull, reaches
from app.trace.query import (
    END,
    first_nonfinite_gradient,
    holds_nonfinite,
    next_change,
    value_at,
)
from app.trace.records import Cells, Contents, Geometry, StepId, Storage, StorageId, Summary, TensorId, Tick, Unknown, Value
from tests.trace.generated import SOME, example, traces
from tests.trace.state import State, at, nonfinite_since, shares_bytes


def replay(facts: list[Any], tick: int) -> Any:
    """Return the last value up to `tick`, by a linear search."""
    value = None
    for when, what in facts:
        if when <= tick:
            value = what
    return value


@pytest.mark.sweep
@SOME
@given(traces(), st.integers(0, 90))
def test_the_state_is_what_a_replay_gives(trace: Trace, moment: int) -> None:
    state = State(trace, Tick(moment))
    for tensor in trace.tensors:
        alive = tensor.born <= moment and not (tensor.died is not None and tensor.died <= moment)
        assert (tensor.id in state.tensors) == alive
        seen = state.tensor(tensor.id)
        for field in ("geometry", "version_counter", "is_leaf", "base", "grad", "grad_fn"):
            assert getattr(seen, field) == replay(getattr(tensor, field), moment)
        assert seen.requires_grad == bool(replay(tensor.requires_grad, moment))
        if isinstance(seen.version_counter, int):
            version = replay(trace.version_counters[seen.version_counter].version, moment)
            assert version is None or seen.version == version
    for storage in trace.storages:
        assert state.storage(storage.id).contents == replay(storage.contents, moment)
        assert state.storage(storage.id).nbytes == replay(storage.nbytes, moment)
    assert state.names == {n.id: replay(n.tensor, moment) for n in trace.names if replay(n.tensor, moment) is not None}
    assert state.outputs == [output for output in trace.outputs if output.tick <= moment]
    assert state.gradients == [gradient for gradient in trace.gradients if gradient.tick <= moment]
    assert state.writes == [write for write in trace.writes if write.tick <= moment]
    for saved in state.saved_tensors.values():
        over = (saved.saved_tensor.released, trace.nodes[saved.saved_tensor.node].freed)
        assert (saved.state == "released") == any(tick is not None and tick <= moment for tick in over)


@pytest.mark.sweep
@SOME
@given(traces())
def test_statements_come_in_the_order_of_their_ends(trace: Trace) -> None:
    index = Index(trace)
    ends = [END if step.ended is None else step.ended for step in index.statements]
    assert ends == sorted(ends)
    assert sum(map(len, index.children.values())) == len(trace.steps)


@pytest.mark.sweep
@SOME
@given(traces(), st.integers(0, 90))
def test_the_step_at_a_tick_contains_it(trace: Trace, moment: int) -> None:
    step = Index(trace).step_at(Tick(moment))
    around = [s.id for s in trace.steps if s.began <= moment and (s.ended is None or moment <= s.ended)]
    assert (step.id if step else None) == (max(around) if around else None) or (step is not None and step.id in around)


def test_facts_before_at_and_after_their_tick() -> None:
    facts = [(Tick(2), "a"), (Tick(5), "b"), (Tick(5), "c")]
    assert [value_at(facts, Tick(tick), "none") for tick in (1, 2, 4, 5, 9)] == ["none", "a", "a", "c", "c"]
    assert [next_change(facts, Tick(tick)) for tick in (1, 2, 5)] == [2, 5, None]


def test_the_example_after_its_statements() -> None:
    trace = example()
    first, second, cut_short = (at(trace, step.id) for step in Index(trace).statements)
    assert first.variables() == {"x": 0} and second.variables() == {"x": 1} and cut_short.variables() == {}
    assert first.text() == "a" and second.text() == "ab"
    assert first.names_of == {0: ["x"]}
    assert [first.tensor(trace.tensors[0].id).version, second.tensor(trace.tensors[0].id).version] == [0, 1]
    assert (list(first.nodes), list(second.nodes)) == ([], [1])
    assert set(second.tensors) == {0, 1} and set(cut_short.tensors) == {1} and set(cut_short.storages) == {1}
    during = State(trace, Tick(8)).saved_tensors[trace.saved_tensors[0].id]
    assert (during.state, during.outdated, during.overwritten) == ("outdated", 0, 0)
    assert second.saved_tensors[trace.saved_tensors[0].id].state == "released"
    inner = Index(trace).statement_of(StepId(3))
    assert inner is not None and inner.id == 1 and Index(trace).statement_of(None) is None


# --- elements, NaN and infinity ---------------------------------------------------------------------------------------


def shown(geometry: Geometry, values: list[Value], dtype: str = "float32") -> list[Value] | Unknown:
    """Return the elements of a Tensor with this geometry, whose Storage contains `values`."""
    trace = example()
    storage = msgspec.structs.replace(trace.storages[0], contents=[(Tick(2), Cells(dtype=dtype, values=values))])
    tensor = msgspec.structs.replace(trace.tensors[0], geometry=[(Tick(2), geometry)])
    tables = {"tensors": [tensor, *trace.tensors[1:]], "storages": [storage, *trace.storages[1:]]}
    return State(msgspec.structs.replace(trace, **tables), Tick(3)).elements(TensorId(0))


def test_the_elements_are_those_at_the_tensors_places() -> None:
    assert shown(geometry([2, 2], [1, 2]), [0.0, 1.0, 2.0, 3.0]) == [0.0, 2.0, 1.0, 3.0]
    assert shown(geometry([2, 3], [1, 0], offset=2), [0.0, 1.0, 2.0, 3.0]) == [2.0, 2.0, 2.0, 3.0, 3.0, 3.0]
    assert shown(geometry([], [], offset=1), [0.0, 1.0]) == [1.0]
    assert shown(geometry([3, 0], [1, 1]), [1.0]) == []


def test_conjugated_and_negated_elements_are_as_the_tensor_reads_them() -> None:
    plain = geometry([2], [1], dtype="complex64")
    cells: list[Value] = [(1.0, 2.0), ("inf", "nan")]
    conj, neg = msgspec.structs.replace(plain, is_conj=True), msgspec.structs.replace(plain, is_neg=True)
    assert shown(conj, cells, "complex64") == [(1.0, -2.0), ("inf", "nan")]
    assert shown(neg, cells, "complex64") == [(-1.0, -2.0), ("-inf", "nan")]
    assert shown(msgspec.structs.replace(conj, is_neg=True), cells, "complex64") == [(-1.0, 2.0), ("-inf", "nan")]
    assert shown(msgspec.structs.replace(geometry([2], [1]), is_neg=True), [1.0, "-inf"]) == [-1.0, "inf"]


def test_elements_that_cannot_be_told() -> None:
    for looked_at in (
        geometry([2], [1], dtype="int32"),
        geometry([2], [1], offset=3),
        geometry([2**53], [0]),
        msgspec.structs.replace(geometry([2], [1]), stride=None),
        msgspec.structs.replace(geometry([2], [1]), storage=None),
        geometry([2], [1], storage=1),
    ):
        assert isinstance(shown(looked_at, [0.0] * 4), Unknown)


@pytest.mark.parametrize(
    ("values", "found"),
    [([0.0, "nan"], True), (["-inf"], True), ([(0.0, "inf")], True), ([1.0, str(2**64), True, (1.0, 2.0)], False), ([], False)],
)
def test_nan_and_infinity_among_cells(values: list[Value], found: bool) -> None:
    assert holds_nonfinite(Cells(dtype="float32", values=values)) is found


def test_nan_and_infinity_elsewhere() -> None:
    summary = Summary(dtype="float32", count=9, min=0.0, max=1.0, mean=0.5, nan_count=0, inf_count=0, histogram=[], picture=[])
    assert holds_nonfinite(summary) is False and holds_nonfinite(Unknown(reason="Not read.")) is None
    assert holds_nonfinite(msgspec.structs.replace(summary, inf_count=1)) is True
    contents: list[tuple[Tick, Contents]] = [
        (Tick(1), Unknown(reason="Not read.")),
        (Tick(2), summary),
        (Tick(5), Cells(dtype="float32", values=["inf"])),
    ]
    storage = Storage(id=StorageId(0), born=Tick(1), device="cpu", address="0x0", contents=contents)
    assert nonfinite_since(storage) == 5
    assert nonfinite_since(msgspec.structs.replace(storage, contents=contents[:2])) is None
    trace = example()
    assert first_nonfinite_gradient(trace) is trace.gradients[0]
    assert first_nonfinite_gradient(msgspec.structs.replace(trace, gradients=[])) is None


# --- bytes ------------------------------------------------------------------------------------------------------------


def geometry(shape: list[int], stride: list[int], offset: int = 0, dtype: str = "float32", storage: int = 0) -> Geometry:
    return Geometry(
        dtype=dtype,
        device="cpu",
        layout="strided",
        shape=shape,
        stride=stride,
        storage_offset=offset,
        storage=StorageId(storage),
    )


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    dims = draw(st.integers(0, 4))
    numbers = st.lists(st.integers(0, 5), min_size=dims, max_size=dims)
    return geometry(
        draw(numbers), draw(numbers), draw(st.integers(0, 9)), draw(st.sampled_from(["uint8", "float32", "complex128"]))
    )


def bytes_of(geometry: Geometry) -> set[int]:
    """Return the offset of every byte that the elements of a tensor occupy."""
    assert geometry.stride is not None and geometry.storage_offset is not None
    places = {geometry.storage_offset}
    for count, stride in zip(geometry.shape, geometry.stride, strict=True):
        places = {place + index * stride for place in places for index in range(count)}
    size = itemsize(geometry.dtype)
    assert size is not None
    return {place * size + byte for place in places for byte in range(size)}


@given(geometries())
def test_the_extent_is_every_byte_and_no_other(geometry: Geometry) -> None:
    pieces = extent(geometry)
    assert pieces is not None
    assert [byte for piece in pieces for byte in piece] == sorted(bytes_of(geometry))
    assert all(before.stop < after.start for before, after in pairwise(pieces))
    around = hull(geometry)
    assert around is not None and (not pieces or around == range(pieces[0].start, pieces[-1].stop))


@given(geometries(), geometries())
def test_sharing_is_a_common_byte(one: Geometry, other: Geometry) -> None:
    assert shares_bytes(one, other) == bool(bytes_of(one) & bytes_of(other))


def reached(through: Geometry, looks: Geometry) -> bool | None:
    """Whether a write through a Tensor with geometry `through` can change an element of a Tensor with geometry `looks`."""
    trace, around = example(), hull(through)
    assert around is not None
    write = msgspec.structs.replace(
        trace.writes[0], storage=StorageId(0), tensor=TensorId(0), begin=around.start, end=around.stop
    )
    writer = msgspec.structs.replace(trace.tensors[0], geometry=[(Tick(0), through)])
    return reaches(msgspec.structs.replace(trace, tensors=[writer, *trace.tensors[1:]]), write, looks)


@given(geometries(), geometries())
def test_a_write_reaches_what_has_a_common_byte_with_its_tensor(through: Geometry, looks: Geometry) -> None:
    assert reached(through, looks) == bool(bytes_of(through) & bytes_of(looks))


def test_a_write_of_a_million_rows_reaches_no_column_beside_it() -> None:
    rows = 10**6
    written, beside = geometry([rows, 8], [32, 1]), geometry([rows, 24], [32, 1], offset=8)
    assert reached(written, beside) is False and reached(beside, written) is False
    assert reached(written, geometry([rows, 25], [32, 1], offset=7)) is True
    assert reached(written, geometry([rows], [32], offset=31)) is False


def test_what_cannot_be_said() -> None:
    huge = [2**53] * 64
    assert extent(geometry(huge, huge)) is None
    assert extent(geometry([1], [1], dtype="float3")) is None
    assert shares_bytes(geometry([2], [1]), geometry(huge, [3] * 64)) is None
    assert shares_bytes(geometry([2], [1]), geometry(huge, [3] * 64, offset=2)) is False
    assert shares_bytes(geometry([2], [1]), geometry([2], [1], storage=1)) is False


def over_memory(one: Storage, other: Storage, *looks: Geometry) -> bool | None:
    """Whether two Tensors with these Storages and geometries share a byte of memory."""
    trace = example()
    tensors = [
        msgspec.structs.replace(tensor, geometry=[(Tick(2), look)]) for tensor, look in zip(trace.tensors, looks, strict=True)
    ]
    state = State(msgspec.structs.replace(trace, tensors=tensors, storages=[one, other]), Tick(5))
    return state.shares_bytes(TensorId(0), TensorId(1))


def test_two_storages_may_lie_over_the_same_memory() -> None:
    one = Storage(id=StorageId(0), born=Tick(1), device="cpu", address="0x100")
    other = Storage(id=StorageId(1), born=Tick(1), device="cpu", address="0x108")
    first, second = geometry([4], [1]), geometry([2], [1], storage=1)
    assert over_memory(one, other, first, second) is True
    assert over_memory(one, other, geometry([2], [1]), second) is False
    assert over_memory(one, other, geometry([2], [2], offset=1), geometry([1], [1], storage=1)) is False
    assert over_memory(one, other, geometry([4], [1]), geometry([2], [1])) is True
    moved = msgspec.structs.replace(other, moved=[(Tick(4), "0x110")])
    assert over_memory(one, moved, first, second) is False
    assert over_memory(one, msgspec.structs.replace(moved, moved=[(Tick(9), "0x110")]), first, second) is True
    assert over_memory(one, msgspec.structs.replace(other, freed=Tick(3)), first, second) is None
    elsewhere = msgspec.structs.replace(second, device="cuda:0")
    assert over_memory(one, other, first, elsewhere) is False
    assert over_memory(one, other, first, msgspec.structs.replace(second, storage=None)) is None


def test_columns_of_a_matrix_share_nothing() -> None:
    left, right = geometry([4], [2]), geometry([4], [2], offset=1)
    assert shares_bytes(left, right) is False and extent(left) == [range(i, i + 4) for i in (0, 8, 16, 24)]


def test_item_sizes_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    dtypes = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    assert {str(dtype): itemsize(str(dtype)) for dtype in dtypes} == {str(dtype): dtype.itemsize for dtype in dtypes}
