"""Split an encoded trace into pieces of limited size without decoding its records, and join them again."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from app.trace.decoding import TraceDecodeError
from app.trace.pieces import pieces
from app.trace.records import Name, NameId, Tick
from app.trace.stored import PIECE_BYTES
from tests.trace.generated import SOME, example, traces


def folded(cut: list[bytes]) -> Trace:
    """Join the pieces as the page does."""
    trace, *rest = map(msgspec.json.decode, cut)
    assert trace.pop("pieces") == len(cut)
    for key, rows in (item for piece in rest for item in piece.items()):
        if not key.endswith("_updates"):
            trace.setdefault(key, []).extend(rows)
            continue
        for update in rows:
            record = trace[key.removesuffix("_updates") + "s"][update.pop("id")]
            for field, facts in update.items():
                record.setdefault(field, []).extend(facts)
    return decode_trace(msgspec.json.encode(trace))


@pytest.mark.sweep
@SOME
@given(traces(), st.sampled_from((1, 40, 200, 3000, PIECE_BYTES)))
def test_a_trace_comes_back_from_its_pieces(trace: Trace, most: int) -> None:
    assert folded(pieces(encode_trace(trace), most)) == trace


def test_a_record_of_a_million_facts_is_cut() -> None:
    facts = [(Tick(tick), None) for tick in range(300_000)]
    names = [Name(id=NameId(number), path="x", frame=0, tensor=facts if number == 1 else []) for number in range(3)]  # type: ignore[arg-type]
    trace = msgspec.structs.replace(example(), names=names)
    cut = pieces(encode_trace(trace))
    assert len(cut) > 4 and max(map(len, cut)) <= PIECE_BYTES + 100
    assert folded(cut) == trace


@pytest.mark.parametrize("nonsense", [b"", b"[]", b"{}", b'{"source":"","header":{},"steps":7}', b"\xff"])
def test_what_is_no_trace_is_refused(nonsense: bytes) -> None:
    with pytest.raises(TraceDecodeError):
        pieces(nonsense)
