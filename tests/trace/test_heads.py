"""The head of each chunk contains the number of statements and operators so far. An invalid head raises HeadError."""

import struct

import pytest

from app.sandbox.payloads import Payloads, RecordingFull
from app.trace.chunks import Chunk
from app.trace.ends import Finished
from app.trace.heads import LARGEST_LINE, REPORTED, Head, HeadError, content_of, payloads_of
from app.trace.records import Limits, Span, Step, StepId, Tick

SPAN = Span(line=7, column=0, end_line=7, end_column=1)


def test_statements_and_operators_are_counted() -> None:
    first = Head().after(Chunk(steps=[Step(id=StepId(0), kind="statement", began=Tick(0), span=SPAN)]))
    assert first == Head(statements=1, line=7)
    others = [
        Step(id=StepId(1), kind="operator", began=Tick(1), name="aten::add"),
        Step(id=StepId(2), kind="call", began=Tick(2), name="f"),
        Step(id=StepId(3), kind="operator", began=Tick(3), name="aten::mul"),
    ]
    assert first.after(Chunk()).after(Chunk(steps=others)) == Head(statements=1, operators=2, line=7)
    assert first.after(Chunk(ended=Finished())) == first._replace(end="finished")


@pytest.mark.parametrize("end", ["", *REPORTED])
def test_a_payload_comes_back_as_it_was(end: str) -> None:
    head = Head(statements=2**32 - 1, operators=1, line=LARGEST_LINE, end=end)
    payload = head.payload(b"{}")
    assert (Head.of(payload), content_of(payload)) == (head, b"{}")
    assert payloads_of(payload + Head().payload(b"") + payload) == [payload, Head().payload(b""), payload]


def raw(size: int = 2, line: int = 0, end: int = 0) -> bytes:
    return struct.pack(">IIIQB", size, 1, 1, line, end) + b"{}"


@pytest.mark.parametrize(
    "payload",
    [b"", b"{}", raw()[:20], raw(1), raw(3), raw(2**32 - 1), raw(line=2**64 - 1), raw(end=len(REPORTED) + 1), raw(end=255)],
)
def test_a_head_that_is_none_is_refused(payload: bytes) -> None:
    with pytest.raises(HeadError):
        Head.of(payload)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Head(statements=2), Head(statements=1)),
        (Head(statements=2, operators=2), Head(statements=9, operators=1)),
        (Head(end="finished"), Head()),
        (Head(end="finished"), Head(end="finished")),
        (Head(), Head(statements=2**32 - 1, operators=2**32 - 1)),
    ],
)
def test_heads_go_on_from_one_to_the_next(before: Head, after: Head) -> None:
    payloads = Payloads(Limits())
    payloads.add(before.payload(b"{}"))
    with pytest.raises(HeadError):
        payloads.add(after.payload(b"{}"))
    assert payloads.head == before and payloads.recorded == before.payload(b"{}"), "whole or not at all"


@pytest.mark.parametrize("content", [b"{}", b"{" * 50, b"," * 500, b" " * 5000], ids=["tiny", "objects", "elements", "bytes"])
def test_what_arrives_is_bounded(content: bytes) -> None:
    payloads = Payloads(Limits(trace_bytes=1 << 20))
    with pytest.raises(RecordingFull):
        for _ in range(1025):
            payloads.add(Head().payload(content))
    assert len(payloads.recorded) <= 1 << 20
