"""Traces for tests: one written by hand, random valid traces, and random ways to split a trace into chunks."""

import random
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st

from app.trace.chunks import TABLES, Chunk, Trace
from app.trace.codec import decode_trace
from tests.trace.header import HEADER


def example() -> Trace:
    """Return a hand-written trace of `x = ones(2, requires_grad=True); y = x.exp(); y.add_(1)`.

    Every table of the trace has at least one record. Every field that can refer to another record does so at least once.
    """
    geometry = {"dtype": "float32", "device": "cpu", "layout": "strided", "shape": [2], "stride": [1], "storage_offset": 0}
    tensor = {"version_counter": [[2, 0]], "requires_grad": [[2, True]], "is_leaf": [[2, True]], "born": 2, "type": "Tensor"}
    tables = {
        "steps": [
            {"id": 0, "kind": "statement", "began": 1, "ended": 3, "frame": 0},
            {"id": 1, "kind": "statement", "began": 4, "ended": 9, "frame": 0, "result": 1},
            {"id": 2, "kind": "operator", "name": "aten::exp", "began": 5, "ended": 7, "parent": 1, "frame": 0},
            {"id": 3, "kind": "node", "node": 0, "began": 8, "ended": 9, "parent": 1},
            {"id": 4, "kind": "statement", "began": 10, "frame": 0},
        ],
        "frames": [{"id": 0, "function": "<module>", "began": 0, "line": 1}],
        "outputs": [
            {"id": 0, "tick": 3, "stream": "stdout", "text": "a"},
            {"id": 1, "tick": 9, "stream": "stdout", "text": "b"},
        ],
        "names": [{"id": 0, "path": "x", "frame": 0, "tensor": [[3, 0], [9, 1], [10, None]], "is_buffer": [[3, False], [9, True]]}],
        "variables": [{"id": 0, "name": "lr", "frame": 0, "value": [[3, {"type": "float", "text": "0.1"}], [9, None]]}],
        "tensors": [
            {**tensor, "id": 0, "geometry": [[2, {**geometry, "storage": 0}]], "grad": [[9, 1]], "died": 11},
            {**tensor, "id": 1, "geometry": [[2, {**geometry, "storage": 1}]], "base": [[2, 0]], "made_by": 2, "grad_fn": []},
        ],
        "storages": [
            {"id": 0, "born": 2, "device": "cpu", "address": "0x0", "nbytes": [[2, 8]], "freed": 11,
             "contents": [[2, {"kind": "cells", "dtype": "float32", "values": [1.0, 1.0]}]]},
            {"id": 1, "born": 2, "device": "cpu", "address": "0x0", "nbytes": [[2, 8], [6, 4]], "moved": [[6, "0x40"]]},
        ],
        "version_counters": [{"id": 0, "version": [[2, 0], [7, 1]]}],
        "writes": [{"id": 0, "tick": 7, "step": 2, "storage": 1, "begin": 0, "end": 8, "tensor": 1, "operator": "aten::add_",
                    "version_counter": 0, "version": 1, "changed": True}],
        "modules": [{"id": 0, "type": "Net", "name": "net"}, {"id": 1, "type": "Linear", "parent": 0, "name": "layers.0"}],
        "nodes": [
            {"id": 0, "name": "ExpBackward0", "born": 6, "module": 1, "made_by": 2, "sequence_nr": 0,
             "edges": [{"node": 1, "input_nr": 0}, None], "inputs": [{"shape": [2], "dtype": "float32"}], "freed": 9},
            {"id": 1, "name": "torch::autograd::AccumulateGrad", "born": 6, "made_by": 2, "sequence_nr": None, "edges": [],
             "inputs": [None], "variable": 0},
        ],
        "saved_tensors": [{"id": 0, "node": 0, "name": "result", "tick": 6, "tensor": 1, "geometry": {**geometry, "storage": 1},
                           "version_counter": 0, "version": 0, "outdated": [[7, 0]], "overwritten": [[7, 0]], "released": 9}],
        "gradients": [{"id": 0, "tick": 9, "step": 3, "node": 0, "edge": 0, "to": 1, "input_nr": 0, "shape": [2],
                       "value": {"kind": "cells", "dtype": "float32", "values": [1.0, "nan"]}}],
        "hooks": [
            {"id": 0, "tick": 8, "step": 1, "tensor": 1, "kind": "gradient", "function": "double"},
            {"id": 1, "tick": 10, "step": 4, "tensor": 1, "kind": "retain"},
        ],
    }  # fmt: skip
    header = msgspec.to_builtins(HEADER)
    return decode_trace(msgspec.json.encode({"source": "x = 1\n", "header": header, "ended": {"kind": "finished"}, **tables}))


# --- random traces ----------------------------------------------------------------------------------------------------

VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["nan", "inf", "-inf", str(2**64), str(-(2**63))]),
    st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.just("nan")),
)
UNKNOWN = st.just({"kind": "unknown", "reason": "Not seen."})
CONTENTS = st.one_of(
    UNKNOWN,
    st.lists(VALUES, max_size=4).map(lambda values: {"kind": "cells", "dtype": "uint8", "values": values}),
    st.tuples(VALUES, VALUES).map(
        lambda pair: {"kind": "summary", "dtype": "uint8", "count": 9, "min": pair[0], "max": None, "mean": pair[1],
                      "nan_count": 0, "inf_count": 1, "histogram": [1, 2], "picture": ["00ff"]}
    ),
)  # fmt: skip

HELD = st.none() | st.fixed_dictionaries(
    {"type": st.just("list")},
    optional={"kind": st.sampled_from(["collection", "object"]), "text": st.text(max_size=3), "length": st.integers(0, 9)},
)


SOME = settings(max_examples=25)
"""Settings that generate only 25 traces, because generating a trace is slow. test_many.py tests with 2000 traces."""


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Generate a trace that `check` accepts. Each table has one to four records, with random references between them."""
    sizes = {table: draw(st.integers(1, 4)) for table in TABLES}
    now = draw(st.integers(0, 20))

    def one(table: str) -> Any:
        return draw(st.integers(0, sizes[table] - 1))

    def maybe(table: str) -> Any:
        return draw(st.none() | st.integers(0, sizes[table] - 1))

    def ticks(count: int) -> list[int]:
        return sorted(draw(st.lists(st.integers(now, 60), min_size=count, max_size=count)))

    def facts(value: st.SearchStrategy[Any], most: int = 4) -> list[Any]:
        return [[tick, draw(value)] for tick in ticks(draw(st.integers(0, most)))]

    def ids(table: str) -> st.SearchStrategy[Any]:
        return st.none() | st.integers(0, sizes[table] - 1)

    def over() -> Any:
        return draw(st.none() | st.integers(60, 80))

    text = draw(st.text(st.characters(codec="utf-8"), max_size=5))

    def geometry() -> Any:
        shape = draw(st.lists(st.integers(0, 3), max_size=3))
        return {"dtype": "uint8", "device": "cpu", "layout": "strided", "shape": shape, "stride": [1] * len(shape),
                "storage_offset": 0, "storage": maybe("storages")}  # fmt: skip

    def event(number: int, tick: int, **fields: Any) -> dict[str, Any]:
        return {"id": number, "tick": tick, **fields}

    tables: dict[str, list[Any]] = {
        "steps": _steps(draw(st.randoms(use_true_random=False)), sizes),
        "frames": [{"id": i, "function": text, "began": 0, "line": i, "ended": over()} for i in range(sizes["frames"])],
        "outputs": [event(i, t, stream="stderr", text=text) for i, t in enumerate(ticks(sizes["outputs"]))],
        "names": [
            {"id": i, "path": f"x{i}", "frame": one("frames"), "tensor": facts(ids("tensors")), "is_buffer": facts(st.booleans())}
            for i in range(sizes["names"])
        ],
        "variables": [{"id": i, "name": text, "frame": one("frames"), "value": facts(HELD)} for i in range(sizes["variables"])],
        "tensors": [
            {"id": i, "born": now, "type": "Tensor", "made_by": maybe("steps"), "died": over(),
             "geometry": [[t, geometry()] for t in ticks(2)], "version_counter": facts(ids("version_counters") | UNKNOWN),
             "requires_grad": facts(st.booleans()), "is_leaf": facts(st.booleans() | UNKNOWN), "base": facts(ids("tensors")),
             "grad": facts(ids("tensors")), "grad_fn": facts(UNKNOWN | st.just({"kind": "grad_fn", "node": 0, "output_nr": 1}))}
            for i in range(sizes["tensors"])
        ],
        "storages": [
            {"id": i, "born": now, "device": "cpu", "address": "0x1", "nbytes": [[now, 9], *facts(st.integers(0, 9))],
             "contents": facts(CONTENTS), "moved": facts(st.just("0x2")), "freed": over()}
            for i in range(sizes["storages"])
        ],
        "version_counters": [
            {"id": i, "version": facts(st.integers(0, 3) | UNKNOWN)} for i in range(sizes["version_counters"])
        ],
        "writes": [
            event(i, t, step=maybe("steps"), storage=one("storages"), begin=i, end=i + 5, tensor=maybe("tensors"),
                  operator=None, version_counter=maybe("version_counters"), version=draw(st.none() | st.integers(0, 5)),
                  changed=None)
            for i, t in enumerate(ticks(sizes["writes"]))
        ],
        "modules": [
            {"id": i, "type": text, "parent": draw(st.none() | st.integers(0, i - 1)) if i else None, "name": None if i else "fc"}
            for i in range(sizes["modules"])
        ],
        "nodes": [
            {"id": i, "name": "Mul", "born": now, "made_by": maybe("steps"), "sequence_nr": None, "inputs": [], "freed": over(),
             "module": maybe("modules"),
             "edges": [draw(st.none() | st.just({"node": j, "input_nr": 0})) for j in range(i)], "variable": maybe("tensors")}
            for i in range(sizes["nodes"])
        ],
        "saved_tensors": [
            event(i, now, node=one("nodes"), name="self", tensor=maybe("tensors"), geometry=geometry(), released=over(),
                  version_counter=maybe("version_counters"), version=None, outdated=facts(st.just(0), 1),
                  overwritten=facts(st.just(0), 1))
            for i in range(sizes["saved_tensors"])
        ],
        "gradients": [
            event(i, t, step=maybe("steps"), node=None, edge=None, to=maybe("nodes"), input_nr=0, shape=[],
                  value={"kind": "cells", "dtype": "float32", "values": [draw(VALUES)]})
            for i, t in enumerate(ticks(sizes["gradients"]))
        ],
        "hooks": [
            event(i, t, step=maybe("steps"), tensor=one("tensors"), kind="accumulated", function=draw(st.none() | st.just(text)))
            for i, t in enumerate(ticks(sizes["hooks"]))
        ],
    }  # fmt: skip
    return msgspec.convert(
        {"source": "pass", "header": msgspec.to_builtins(HEADER), "ended": {"kind": "finished"}, **tables}, Trace
    )


def _steps(chance: random.Random, sizes: dict[str, int]) -> list[Any]:
    """Return randomly nested steps. A step that is open after the last one began has no `ended`."""
    steps: list[dict[str, Any]] = []
    under_way: list[dict[str, Any]] = []
    tick = 0
    while len(steps) < sizes["steps"]:
        tick += chance.randrange(3)
        if under_way and chance.random() < 0.4:
            under_way.pop()["ended"] = tick
            continue
        kind = chance.choice(["statement", "operator", "node", "call", "exception"])
        step = {"id": len(steps), "kind": kind, "began": tick, "parent": under_way[-1]["id"] if under_way else None}
        step |= {"frame": chance.randrange(sizes["frames"])}
        step |= {"node": chance.randrange(sizes["nodes"]) if kind == "node" else None}
        step |= {"name": None if kind in ("statement", "node") else "f", "ended": None}
        results = [None, chance.randrange(sizes["tensors"]), {"type": "int", "text": "3"}]
        step |= {"result": chance.choice(results) if kind == "statement" else None}
        steps.append(step)
        under_way.append(step)
    return steps


# --- chunks -----------------------------------------------------------------------------------------------------------

UPDATED = {table for table in TABLES if f"{table[:-1]}_updates" in Chunk.__struct_fields__}


def cut(trace: Trace, chance: random.Random, count: int) -> list[Chunk]:
    """Split a trace into `count` chunks.

    Records keep the order of their ids. A fact that changes over time comes in the chunk of its record or in a later chunk.
    """
    parts: list[dict[str, list[Any]]] = [{} for _ in range(count)]
    for table in TABLES:
        rows = [msgspec.to_builtins(record) for record in getattr(trace, table)]
        places = sorted(chance.randrange(count) for _ in rows)
        for row, place in zip(rows, places, strict=True):
            later = _split_off_facts(table, row, chance, count - place) if table in UPDATED else []
            parts[place].setdefault(table, []).append(row)
            for offset, update in enumerate(later):
                if len(update) > 1:
                    parts[place + offset].setdefault(f"{table[:-1]}_updates", []).append(update)
    first = {"header": msgspec.to_builtins(trace.header), **parts[0]}
    chunks = [msgspec.convert(part, Chunk) for part in (first, *parts[1:])]
    return [*chunks[:-1], msgspec.structs.replace(chunks[-1], ended=trace.ended)]


def _split_off_facts(table: str, row: dict[str, Any], chance: random.Random, left: int) -> list[dict[str, Any]]:
    """Move some facts of `row` to `left` updates, in their order, and return the updates."""
    known_later = {field for base in type_of(table).__bases__ for field in base.__struct_fields__}
    updates: list[dict[str, Any]] = [{"id": row["id"]} for _ in range(left)]
    for field in known_later & row.keys() - {"id"}:
        value = row[field]
        if isinstance(value, list):
            kept = chance.randint(0, len(value))
            places = sorted(chance.randrange(left) for _ in value[kept:])
            for place, fact in zip(places, value[kept:], strict=True):
                updates[place].setdefault(field, []).append(fact)
            row[field] = value[:kept]
        elif value is not None and chance.random() < 0.5:
            updates[chance.randrange(left)][field] = row.pop(field)
    return updates


def type_of(table: str) -> Any:
    fields = {field.name: field.type for field in msgspec.structs.fields(Trace)}
    return fields[table].__args__[0]
