"""Generated traces of any size, up to the limits of the trace format, and a server that shows them."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from app.store import Recording, Store
from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from tests.trace.header import HEADER
from tests.web.server import Hosted, hosted

GEOMETRY = {"dtype": "float32", "device": "cpu", "layout": "strided", "shape": [1], "stride": [1], "storage_offset": 0}
SPAN = {"column": 0, "end_column": 1}


def dense(count: int) -> Trace:
    """A loop that adds two earlier tensors `count` times, with all iterations in one statement, then backward."""
    source = f"xs = [one]\nfor i in range(1, {count}): xs.append(xs[i - 1] + xs[i // 2])\nxs[-1].backward()\n"
    leaf = {"id": 0, "name": "torch::autograd::AccumulateGrad", "born": 1, "made_by": 0, "sequence_nr": None, "edges": [],
            "inputs": [], "variable": 0}  # fmt: skip
    nodes = [leaf] + [
        {"id": i, "name": "AddBackward0", "born": 2 * i + 3, "made_by": 1, "sequence_nr": i,
         "edges": [{"node": i - 1, "input_nr": 0}, {"node": i // 2, "input_nr": 0}], "inputs": []}
        for i in range(1, count)
    ]  # fmt: skip
    over = 2 * count + 4
    gradients: list[dict[str, Any]] = []
    for i in range(count - 1, 0, -1):
        for edge, to in enumerate((i - 1, i // 2)):
            gradients.append(
                {"id": len(gradients), "tick": over + 2 + len(gradients), "step": 2, "node": i, "edge": edge, "to": to,
                 "input_nr": 0, "shape": [1], "value": {"kind": "cells", "dtype": "float32", "values": [1.0]}}
            )  # fmt: skip
    end = over + 4 + len(gradients)
    steps = [_statement(0, 1, 0, 2), _statement(1, 2, 3, over), _statement(2, 3, over + 1, end)]
    return _trace(source, {"steps": steps, "nodes": nodes, "gradients": gradients, **_tensors(1)})


def forged(count: int) -> Trace:
    """`count` Nodes, each with two edges to earlier Nodes and one empty edge, which no real run would have. Half of them have
    a saved tensor.
    """
    nodes = [
        {"id": i, "name": "MulBackward0", "born": 2, "made_by": 0, "sequence_nr": i, "inputs": [],
         "edges": [{"node": (i * 7919) % i, "input_nr": 0}, {"node": 0, "input_nr": 0}, None] if i else []}
        for i in range(count)
    ]  # fmt: skip
    saved = [
        {"id": i, "node": i, "name": "self", "tick": 2, "tensor": None, "geometry": {**GEOMETRY, "storage": None},
         "version_counter": None, "version": None}
        for i in range(0, count, 2)
    ]  # fmt: skip
    saved = [{**slot, "id": number} for number, slot in enumerate(saved)]
    return _trace("x = 1\n", {"steps": [_statement(0, 1, 1, 9)], "nodes": nodes, "saved_tensors": saved})


def named(count: int) -> Trace:
    """`count` variables, assigned in one statement. Four variables refer to each tensor."""
    names = [{"id": i, "path": f"x{i}", "frame": 0, "tensor": [[3, i // 4]]} for i in range(count)]
    steps = [_statement(0, 1, 1, 4), _statement(1, 1, 5, 6)]
    return _trace("x = 1\n", {"steps": steps, "names": names, **_tensors(count // 4)})


def appended(count: int) -> Trace:
    """A loop that appends a new tensor `count` times, with a step for each iteration. The last statement writes to the last
    tensor.
    """
    tables = _tensors(count + 1)
    for i, (tensor, storage) in enumerate(zip(tables["tensors"], tables["storages"], strict=True)):
        born = 3 * i + 2
        storage.update(born=born, nbytes=[[born, 4]], contents=[[born, storage["contents"][0][1]]])
        tensor.update(
            {"born": born, "made_by": i}
            | {key: [[born, tensor[key][0][1]]] for key in ("geometry", "requires_grad", "is_leaf")}
        )
    names = [
        {"id": i, "path": f"xs[{i}]" if i < count else "loss", "frame": 0, "tensor": [[3 * i + 2, i]]} for i in range(count + 1)
    ]
    steps = [_statement(i, 1 if i < count else i - count + 2, 3 * i + 1, 3 * i + 3) for i in range(count + 2)]
    write = {"id": 0, "tick": 3 * count + 5, "step": count + 1, "storage": count - 1, "begin": 0, "end": 4, "tensor": count - 1,
             "operator": "aten::add_", "version_counter": None, "version": None, "changed": True}  # fmt: skip
    source = f"for i in range({count}): xs.append(torch.ones(1))\nloss = xs[0] + 1\nxs[-1].add_(1)\n"
    return _trace(source, {"steps": steps, "names": names, "writes": [write], **tables})


def windows(count: int) -> Trace:
    """`count` variables with tensors that share one storage."""
    tables = _tensors(count)
    tensors = [{**tensor, "geometry": [[1, {**GEOMETRY, "storage": 0, "storage_offset": i % 8}]]}
               for i, tensor in enumerate(tables["tensors"])]  # fmt: skip
    cells = {"kind": "cells", "dtype": "float32", "values": [1.0] * 8}
    storages = [{**tables["storages"][0], "nbytes": [[1, 32]], "contents": [[1, cells]]}]
    names = [{"id": i, "path": f"v{i}", "frame": 0, "tensor": [[3, i]]} for i in range(count)]
    steps = [_statement(0, 1, 1, 4), _statement(1, 1, 5, 6)]
    return _trace("x = 1\n", {"steps": steps, "names": names, "tensors": tensors, "storages": storages})


def printed(count: int) -> Trace:
    """`count` statements that each print a line."""
    outputs = [{"id": i, "tick": 3 * i + 2, "stream": "stdout", "text": f"{i}\n"} for i in range(count)]
    steps = [_statement(i, 1, 3 * i + 1, 3 * i + 3) for i in range(count)]
    return _trace("print(1)\n", {"steps": steps, "outputs": outputs})


def deep(count: int) -> Trace:
    """`count` nested function calls, each with a Node and a local variable."""
    frames = [{"id": 0, "function": "<module>", "began": 0, "line": 1}] + [
        {"id": i, "function": "f", "began": 2 * i, "line": 1, "parent": i - 1, "ended": 6 * count - 2 * i}
        for i in range(1, count)
    ]
    steps: list[dict[str, Any]] = []
    for i in range(count):
        parent = {} if i == 0 else {"parent": len(steps) - 1}
        steps.append({**_statement(len(steps), 1, 2 * i + 1, 6 * count + 1 - 2 * i), "frame": i, **parent})
    nodes = [
        {"id": i, "name": "SinBackward0", "born": 2 * i + 2, "made_by": i, "sequence_nr": i, "inputs": [],
         "edges": [{"node": i - 1, "input_nr": 0}] if i else []}
        for i in range(count)
    ]  # fmt: skip
    names = [{"id": i, "path": "x", "frame": i, "tensor": [[2 * i + 2, 0]]} for i in range(count)]
    return _trace("f()\n", {"frames": frames, "steps": steps, "nodes": nodes, "names": names, **_tensors(1)})


def _statement(number: int, line: int, began: int, ended: int) -> dict[str, Any]:
    span = {**SPAN, "line": line, "end_line": line}
    return {"id": number, "kind": "statement", "began": began, "ended": ended, "frame": 0, "span": span}


def _tensors(count: int) -> dict[str, list[dict[str, Any]]]:
    """Return the tables of `count` tensors that require grad, each with its own storage."""
    return {
        "tensors": [
            {"id": i, "born": 1, "type": "Tensor", "made_by": 0, "geometry": [[1, {**GEOMETRY, "storage": i}]],
             "requires_grad": [[1, True]], "is_leaf": [[1, True]]}
            for i in range(count)
        ],
        "storages": [
            {"id": i, "born": 1, "device": "cpu", "address": hex(64 * i), "nbytes": [[1, 4]],
             "contents": [[1, {"kind": "cells", "dtype": "float32", "values": [float(i)]}]]}
            for i in range(count)
        ],
    }  # fmt: skip


def _trace(source: str, tables: Mapping[str, Any]) -> Trace:
    header = msgspec.to_builtins(HEADER)
    frames = [{"id": 0, "function": "<module>", "began": 0, "line": 1}]
    written = {"source": source, "header": header, "frames": frames, **tables, "ended": {"kind": "finished"}}
    trace = decode_trace(json.dumps(written).encode())
    check(trace)
    return trace


@contextmanager
def showing(traces: Mapping[str, Trace], **settings: str) -> Iterator[tuple[Hosted, dict[str, str]]]:
    """Start a server that stores these traces. Yield the server and the path of each trace's page."""
    # A server started by root changes to another user, who cannot read pytest's temporary directory.
    data = Path(tempfile.mkdtemp(prefix="stepgrad-large-"))
    try:
        data.chmod(0o755)
        with ThreadPoolExecutor() as beside:  # in another thread, because Playwright runs an event loop in this thread
            ids = beside.submit(lambda: asyncio.run(_kept(data, traces))).result()
        with hosted(data=str(data), **settings) as up:
            yield up, {name: f"/s/{snippet}" for name, snippet in ids.items()}
    finally:
        shutil.rmtree(data)


async def _kept(data: Path, traces: Mapping[str, Trace]) -> dict[str, str]:
    store = await Store.open(f"sqlite+aiosqlite:///{data / 'stepgrad.sqlite'}", 1 << 30)
    try:
        return {
            name: await store.keep(trace.source, 0, Recording.of(encode_trace(trace), name)) for name, trace in traces.items()
        }
    finally:
        await store.close()
