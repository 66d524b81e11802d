"""Joining the chunks of a trace restores the trace. A chunk that does not continue the previous chunks is rejected."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trace.chunks import Chunk, FoldError, Folding, Trace
from app.trace.codec import decode_chunk, encode_chunk
from app.trace.ends import Finished, Interfered
from app.trace.records import Storage, StorageFacts, StorageId, Tick
from tests.trace.generated import SOME, cut, example, traces
from tests.trace.header import HEADER

KILLED = Interfered(reason="Killed.")


@SOME
@given(traces(), st.randoms(use_true_random=False), st.integers(1, 5))
def test_any_chunking_folds_to_the_trace(trace: Trace, chance: random.Random, count: int) -> None:
    folding = Folding(trace.source)
    for chunk in cut(trace, chance, count):
        folding.add(decode_chunk(encode_chunk(chunk)))
    assert folding.trace(KILLED, HEADER) == trace


def test_a_run_without_a_chunk_is_a_whole_trace() -> None:
    trace = Folding("x = 1").trace(KILLED, HEADER)
    assert (trace.source, trace.header, trace.ended, trace.steps) == ("x = 1", HEADER, KILLED, [])


def storage(number: int) -> Storage:
    return Storage(id=StorageId(number), born=Tick(0), device="cpu", address="0x0")


def freed(number: int) -> StorageFacts:
    return StorageFacts(id=StorageId(number), freed=Tick(9))


UNFIT = {
    "second header": (Chunk(header=HEADER), "header"),
    "skipped id": (Chunk(storages=[storage(2)]), "record 2 arrived where 1"),
    "repeated id": (Chunk(storages=[storage(1), storage(1)]), "record 1 arrived where 2"),
    "unknown record": (Chunk(storage_updates=[freed(1)]), "record 1, but only 1"),
    "settled twice": (
        Chunk(storages=[storage(1)], storage_updates=[freed(1), freed(1)]),
        r"storages\[1\].freed was settled twice",
    ),
}


@pytest.mark.parametrize(("chunk", "message"), UNFIT.values(), ids=UNFIT.keys())
def test_a_chunk_that_does_not_follow_on_changes_nothing(chunk: Chunk, message: str) -> None:
    folding = Folding("x = 1")
    folding.add(Chunk(header=HEADER, storages=[storage(0)]))
    with pytest.raises(FoldError, match=message):
        folding.add(chunk)
    assert folding.trace(Finished(), HEADER).storages == [storage(0)]


def test_nothing_follows_the_end() -> None:
    folding = Folding("")
    folding.add(Chunk(header=HEADER, ended=Finished()))
    with pytest.raises(FoldError, match="after the end"):
        folding.add(Chunk())


def test_the_first_chunk_has_the_header() -> None:
    with pytest.raises(FoldError, match="no header"):
        Folding("").add(Chunk(outputs=example().outputs))
