"""Encoding and decoding traces and chunks. Invalid bytes raise only one type of exception."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trace.chunks import Chunk, Trace
from app.trace.clipping import clip
from app.trace.codec import MAX_CHUNK_BYTES, decode_chunk, decode_trace, encode_chunk, encode_tables, encode_trace
from app.trace.decoding import TraceDecodeError
from app.trace.records import Cells, Limits, Output, OutputId, Request, Tick
from app.trace.requests import decode_request, encode_request
from app.trace.stored import Outline, ended_of, stored
from tests.trace.generated import SOME, cut, example, traces

DECODERS = (decode_chunk, decode_trace, decode_request)


@pytest.mark.sweep
@SOME
@given(traces())
def test_a_trace_comes_back_as_it_was(trace: Trace) -> None:
    assert decode_trace(encode_trace(trace)) == trace


@pytest.mark.sweep
@SOME
@given(traces())
def test_the_stored_form_is_the_same_around_tables_and_in_one(trace: Trace) -> None:
    outline = Outline(source=trace.source, header=trace.header)
    assert stored(outline, encode_tables(trace), trace.ended) == encode_trace(trace) == msgspec.json.encode(trace)
    assert ended_of(encode_trace(trace)) == trace.ended


@pytest.mark.sweep
@SOME
@given(traces(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_chunk_comes_back_as_it_was(trace: Trace, chance: random.Random, count: int) -> None:
    for chunk in cut(trace, chance, count):
        assert decode_chunk(encode_chunk(chunk)) == chunk


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers(0, 2**53))
def test_a_request_comes_back_as_it_was(source: str, seed: int) -> None:
    request = Request(source=source, seed=seed, limits=Limits(cells=seed), stand_in=bool(seed % 2))
    assert decode_request(encode_request(request)) == request


@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_our_error(payload: bytes) -> None:
    for decode in DECODERS:
        try:
            decode(payload)
        except TraceDecodeError:
            pass


@given(st.data())
def test_a_damaged_trace_raises_nothing_but_our_error(data: st.DataObject) -> None:
    payload = bytearray(encode_trace(example()))
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(payload) - 1))
        payload[begin : begin + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=6))
    try:
        decode_trace(bytes(payload))
    except TraceDecodeError:
        pass


STORAGE = (
    b'{"storages":[{"id":0,"born":0,"device":"","address":"0x0","contents":[[0,{"kind":"cells","dtype":"","values":[%s]}]]}]}'
)

HOSTILE = {
    "empty": b"",
    "an array": b"[]",
    "null": b"null",
    "deep arrays": b"[" * 1_000_000,
    "deep foreign field": b'{"foreign":' + b"[" * 1_000_000,
    "deep foreign field before the tag": b'{"ended":{"foreign":' + b'{"a":' * 1_000_000,
    "foreign field": b'{"foreign":1}',
    "null for a list": b'{"steps":null}',
    "foreign kind": b'{"ended":{"kind":"foreign"}}',
    "kind of another type": b'{"ended":{"kind":3}}',
    "NaN": STORAGE % b"NaN",
    "infinity": STORAGE % b"1e999",
    "a word": STORAGE % b'"word"',
    "a small number as text": STORAGE % b'"12"',
    "a large number as number": STORAGE % b"9007199254740993",
    "a large number in a pair": STORAGE % b'["9007199254740993x",0.0]',
    "a triple": STORAGE % b"[1.0,2.0,3.0]",
    "a long number": b'{"steps":[{"id":' + b"9" * 100_000 + b"}]}",
    "negative id": b'{"version_counters":[{"id":-1}]}',
    "large id": b'{"version_counters":[{"id":9007199254740993}]}',
    "invalid UTF-8": b'{"outputs":[{"id":0,"tick":0,"stream":"stdout","text":"\xff"}]}',
    "invalid UTF-8 as field": b'{"\xff":0}',
    "a lone surrogate": b'{"outputs":[{"id":0,"tick":0,"stream":"stdout","text":"\\udc00"}]}',
    "a surrogate in bytes": b'{"outputs":[{"id":0,"tick":0,"stream":"stdout","text":"\xed\xa0\x80"}]}',
    "65 dimensions": b'{"gradients":[{"shape":[' + b"1," * 64 + b"1]}]}",
    "two values": b"{}{}",
    "too many bytes": b" " * (MAX_CHUNK_BYTES + 1),
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_chunks_are_refused_in_one_sentence(payload: bytes) -> None:
    with pytest.raises(TraceDecodeError) as caught:
        decode_chunk(payload)
    assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)


def test_source_with_nul_is_refused() -> None:
    with pytest.raises(TraceDecodeError, match="source"):
        decode_request(b'{"source":"a\\n\\u0000b"}')


def test_text_that_utf8_cannot_carry_is_escaped() -> None:
    chunk = Chunk(outputs=[Output(id=OutputId(0), tick=Tick(0), stream="stderr", text="a\ud800\0")])
    assert decode_chunk(encode_chunk(chunk)).outputs[0].text == "a\\ud800\0"


@given(st.text(), st.integers(8, 20))
def test_clipped_text_fits_and_can_be_sent(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert len(clipped) <= limit
    clipped.encode()
    if len(text) <= limit and text.isascii():
        assert clipped == text


def test_no_constraint_shares_a_union_with_a_tuple() -> None:
    """msgspec 0.22 reads invalid memory if a union contains both a tuple and a constrained type."""
    for kind in msgspec.inspect.multi_type_info([Chunk, Trace, Request]):
        assert isinstance(kind, msgspec.inspect.StructType)
    seen: set[type] = set()
    waiting = list(msgspec.inspect.multi_type_info([Chunk, Trace, Request]))
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.Metadata):
            waiting.append(kind.type)
        elif isinstance(kind, msgspec.inspect.StructType):
            if kind.cls not in seen:
                seen.add(kind.cls)
                waiting += [field.type for field in kind.fields]
        elif isinstance(kind, msgspec.inspect.ListType):
            waiting.append(kind.item_type)
        elif isinstance(kind, msgspec.inspect.TupleType):
            waiting += kind.item_types
        elif isinstance(kind, msgspec.inspect.UnionType):
            tuples = any(isinstance(member, msgspec.inspect.TupleType) for member in kind.types)
            bounded = any(
                getattr(member, bound, None) is not None
                for member in kind.types
                for bound in ("ge", "le", "gt", "lt", "max_length", "min_length", "pattern", "multiple_of")
            )
            assert not (tuples and bounded), kind
            waiting += kind.types
    assert len(seen) > 40


def values(*written: str) -> bytes:
    """Return an encoded chunk with one gradient, given as JSON."""
    value = '{"kind": "cells", "dtype": "float64", "values": [' + ", ".join(written) + "]}"
    fields = '"id": 0, "tick": 0, "step": null, "node": null, "edge": null, "to": null, "input_nr": 0, "shape": []'
    return f'{{"gradients": [{{{fields}, "value": {value}}}]}}'.encode()


EXTREME = ["1e300", "-5e-324", "1.7976931348623157e+308", '"nan"', "true", "7", "[1e300, -0.0]", '"-12345678901234567890"']


def test_many_numbers_with_large_exponents_are_read_as_few_are() -> None:
    """Long lists of numbers have their own parser, because msgspec needs 8 µs for each number with a large exponent."""
    few, many = decode_chunk(values(*EXTREME)), decode_chunk(values(*EXTREME * 1000))
    (one,), (other,) = few.gradients, many.gradients
    assert isinstance(one.value, Cells) and isinstance(other.value, Cells)
    assert repr(one.value.values * 1000) == repr(other.value.values)
    assert encode_chunk(decode_chunk(encode_chunk(many))) == encode_chunk(many)


@pytest.mark.parametrize("count", [1, 2000], ids=["few", "many"])
@pytest.mark.parametrize(
    "wrong",
    [
        "1e400",
        "-1e999",
        "NaN",
        "-Infinity",
        '""',
        '"nan\\ninf"',
        '"1e5"',
        "9007199254740993",
        "[1, 2, 3]",
        "[[1, 2], 3]",
        "null",
    ],
)
def test_values_that_are_none(wrong: str, count: int) -> None:
    with pytest.raises(TraceDecodeError):
        decode_chunk(values(*["1e300"] * count, wrong))


@pytest.mark.parametrize(
    "end",
    [
        b'], "evil": 1}',
        b'], "outputs": [{"text": "\\ud800"}]}',
        b'], "evil": ' + b"[" * 100_000,
        b"",
        b"]} x",
        b'], "names": 1}',
    ],
)
def test_what_is_wrong_beside_many_large_exponents(end: bytes) -> None:
    with pytest.raises(TraceDecodeError):
        decode_chunk(values(*["1e300"] * 2000).removesuffix(b"]}") + end)
