"""The chunks of JSON that the recorder sends: `decode_chunk` accepts chunks of every size."""

from app.trace.chunks import Folding
from app.trace.codec import MAX_CHUNK_BYTES, decode_chunk
from app.trace.ends import Finished
from app.trace.heads import content_of
from app.tracer.trace_writer import Tables
from tests.trace.header import HEADER


def test_what_one_event_leaves_is_cut_into_chunks_that_are_read() -> None:
    sent: list[bytes] = []
    tables = Tables(HEADER, sent.append)
    counters = [tables.version_counters.add() for _ in range(150_000)]
    for counter in counters:
        tables.version_counters.fact(counter, "version", tables.tick, 7)
    tables.flush(Finished())
    assert len(sent) > 1
    assert sum(map(len, sent)) > MAX_CHUNK_BYTES
    folding = Folding("")
    for payload in sent:
        folding.add(decode_chunk(content_of(payload)))
    assert folding.ended == Finished()
    trace = folding.trace(Finished(), HEADER)
    assert [counter.version[-1][1] for counter in trace.version_counters] == [7] * len(counters)


def test_one_record_that_changes_for_ever_makes_chunks_full() -> None:
    """One version counter has 100,000 values, because a single statement writes to its tensor so often."""
    sent: list[bytes] = []
    tables = Tables(HEADER, sent.append)
    counter = tables.version_counters.add()
    for version in range(100_000):
        tables.version_counters.fact(counter, "version", tables.advance(), version)
        if tables.is_full:
            tables.flush()
    tables.flush(Finished())
    assert len(sent) > 3
    assert max(map(len, sent)) < MAX_CHUNK_BYTES
