"""Programs that print memory addresses: the page and the plain text say to which tensor each address belongs."""

import json
import subprocess
from pathlib import Path

import msgspec

from app.explain import explain
from app.narration import Message, narrate
from app.narration.message import Argument
from app.report.transcript import transcript
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.index import Index
from tests.explain.recorded import record

SPOKEN = Path(__file__).parents[1] / "js/spoken.js"

ASKED = """\
import torch

big = torch.zeros(5000, dtype=torch.float64)
x = torch.arange(12.0)
y = x.view(3, 4)
row = y[1]
wide = x.view(torch.int64)[2:]
other = x.detach()
copy = x.clone()
p = torch.nn.Parameter(torch.ones(3, dtype=torch.float16))[1:]
for name in [name for name in globals() if isinstance(globals()[name], torch.Tensor)]:
    address = globals()[name].data_ptr()
    byte = address - globals()[name].untyped_storage().data_ptr()
    print("pointer", name, address, byte)
    print("pointer", name, hex(address), byte)
    print("pointer", name, f"{address:#X}", byte)
    print("object", name, id(globals()[name]), 0)
"""
"""Prints addresses with the kind of object, its variable, and the offset within the storage."""

KEPT_OR_NOT = """\
import torch

def inside(a):
    print("in", a.data_ptr(), id(a))

x = torch.ones(6)
print([x.data_ptr(), x.untyped_storage().data_ptr()], f"at {x.data_ptr():#x}!", f"{x[2].data_ptr()}")
print(x.data_ptr)
inside(x[2:])
n = x.numpy()
print(n.ctypes.data, n[3:].ctypes.data)
gone = x.data_ptr(), id(x)
del x, n
print("gone", *gone)
a = torch.ones(6)
first = a.data_ptr()
a.resize_(100_000)
print("left", first, "is", a.data_ptr())
e, m = torch.empty(0), torch.empty(3, device="meta")
print("none", e.data_ptr(), m.data_ptr(), 1764000000, 25557032, 3.14159265, "0xffffffff", "cafebabe", -first, "1234567.5")
print(a.data_ptr(), a.data_ptr() + 4, a.data_ptr() + 400_000)
"""


def pointers(trace: Trace) -> list[Message]:
    return [
        each
        for _, told in narrate(Index(trace))
        for one in told
        for each in one.sentences
        if each.id.startswith("story-pointer")
    ]


def recorded(source: str) -> Trace:
    (trace,) = record([source])
    assert isinstance(trace.ended, Finished), trace.ended
    return trace


def names(told: Argument) -> list[Argument]:
    assert isinstance(told, list)
    return [each.arguments["text"] for each in told]


def test_torch_says_what_each_number_is() -> None:
    trace = recorded(ASKED)
    told = {(each.id, each.arguments["number"]): each.arguments for each in pointers(trace)}
    asked = [line.split() for line in "".join(output.text for output in trace.outputs).splitlines()]
    assert len(asked) == 4 * 8
    for what, name, number, byte in asked:
        if what == "object":
            assert told["story-pointer-id", number]["name"] == f"id({name})"
        else:
            arguments = told["story-pointer", number]
            assert f"{name}.data_ptr()" in names(arguments["names"])
            assert arguments["byte"] == int(byte)


def test_a_number_belongs_to_what_lives_when_it_is_printed() -> None:
    trace = recorded(KEPT_OR_NOT)
    lines = list(transcript(explain(trace), "en"))
    below: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("    printed: "):
            last = below.setdefault(line.removeprefix("    printed: ").split()[0], [])
        elif line.startswith("    ") and ("byte" in line or "Python object" in line):
            last.append(line.strip().partition(" is ")[2])
    first, second = below["in"], list(below.values())
    assert second[0] == [
        "x.data_ptr(), the first byte of storage S0.",
        "x.data_ptr(), the first byte of storage S0.",
        "byte 8 of storage S0.",
    ]
    assert below["<built-in"] == ["id(x), the id of the Python object."]
    assert first == ["a.data_ptr() · inside, byte 8 of storage S0.", "id(a) · inside, the id of the Python object."]
    assert below["gone"] == below["none"] == []
    assert below["left"][-1] == "a.data_ptr(), the first byte of storage S1."
    assert [each.partition(",")[0] for each in second[-1]] == ["a.data_ptr()", "byte 4 of storage S1."]


def test_the_page_finds_the_same(tmp_path: Path) -> None:
    traces = [recorded(source) for source in (ASKED, KEPT_OR_NOT)]
    for number, trace in enumerate(traces):
        (tmp_path / f"{number}.json").write_bytes(msgspec.json.encode(explain(trace)))
    shown = subprocess.run(["node", SPOKEN, tmp_path], capture_output=True, text=True, check=True).stdout.splitlines()
    said: list[list[str]] = [[], []]
    for line in shown:
        each = json.loads(line)
        if each["granularity"] == "line" and each["id"].startswith("story-pointer"):
            said[int(each["file"][0])].append(each["said"][0].replace("`", ""))
    for trace, page in zip(traces, said, strict=True):
        text = [line.strip() for line in transcript(explain(trace), "en")]
        assert len(page) > 5
        assert set(page) == {
            line for line in text if line.startswith(tuple(each.partition(" is ")[0] + " is" for each in page))
        }


def test_a_recording_without_ids_of_objects_still_tells_of_bytes() -> None:
    trace = recorded(ASKED)
    before = msgspec.structs.replace(trace, tensors=[msgspec.structs.replace(tensor, address=None) for tensor in trace.tensors])
    assert {each.id for each in pointers(before)} == {"story-pointer"}
