"""Explaining any text raises no exception, and takes time linear in the length of the text."""

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.explain.reading.snippet import PARSED_CHARACTERS, if_python
from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.ends import Ended, Finished, OutOfMemory, Raised
from app.trace.records import (
    Frame,
    FrameId,
    Geometry,
    Name,
    NameId,
    Node,
    NodeId,
    SavedTensor,
    SavedTensorId,
    Span,
    Step,
    StepId,
    Storage,
    StorageId,
    Tensor,
    TensorId,
    Tick,
    Unknown,
    VersionCounter,
    VersionCounterId,
    Write,
    WriteId,
)
from tests.pace import reading_seconds
from tests.trace.header import HEADER

PIECES = (
    ">>> ",
    "... ",
    "In [1]: ",
    "Out[1]: ",
    "   ...: ",
    "!pip install x",
    "%magic",
    "import torch",
    "import a.b as c",
    "from a import *",
    "np.ones(1)",
    "input()",
    "DataLoader(num_workers=2)",
    "torch.hub.load(",
    "x += 1",
    '"""',
    "f'{",
    "\\",
    "(",
    ")",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\n    ",
    "\t",
    "\f",
    "\ufeff",
    "\u2028",
    "\ud800",
    "\U0001f600",
    "\u00e9",
    "'\\d'",
    "match x:\n case {**r}: pass",
)
SOURCES = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join), st.lists(st.sampled_from(PIECES)).map("\n".join))
TYPES = ("SyntaxError", "IndentationError", "NameError", "ModuleNotFoundError", "EOFError", "builtins.NameError", "x.Y")
RAISED = st.builds(Raised, type=st.sampled_from(TYPES), message=st.text(), line=st.none() | st.integers(0, 2**53))
ENDS = st.one_of(st.just(Finished()), RAISED, st.builds(OutOfMemory, limit_bytes=st.just(1), raised=RAISED))

LONG = (256 << 10) - 100
HOSTILE = {
    "parentheses": "(" * LONG,
    "minuses": "-" * LONG + "1",
    "attributes": "a" + ".b" * (LONG // 2),
    "calls": "a" + "()" * (LONG // 2),
    "sums": "1" + "+1" * (LONG // 2),
    "blanks": " " * LONG,
    "blank lines": "\n" * LONG,
    "indented lines": " x\n" * (LONG // 3),
    "stairs": "".join(" " * depth + "if x:\n" for depth in range(600)),
    "prompts": ">>> x\n" * (LONG // 6),
    "numbered prompts": "In [" * (LONG // 4),
    "shell": "!x\n" * (LONG // 3),
    "names": "np;" * (LONG // 3),
    "inputs": "input();" * (LONG // 8),
    "pip": "\t" * LONG + "pip",
    "strings": '"""' * (LONG // 3),
    "plots": "import plt\n" + "plt.a(plt);" * (LONG // 11),
}


@pytest.mark.sweep
@settings(max_examples=300, deadline=None)
@given(SOURCES, ENDS)
def test_any_text(source: str, end: Ended) -> None:
    for finding in explain(Trace(source=source, header=HEADER, ended=end)).findings:
        assert finding.line is None or finding.line >= 0
        assert all(fix.source != source for fix in finding.fixes)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", TYPES[:5])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("characters", [PARSED_CHARACTERS, LONG])
def test_hostile_text(name: str, kind: str, characters: int) -> None:
    source = HOSTILE[name][:characters]
    began = time.process_time()
    explain(Trace(source=source, header=HEADER, ended=Raised(type=kind, message="No module named 'plt'", line=1)))
    # quadratic time would mean minutes, even on a fast machine
    assert time.process_time() - began < 10, name


def test_what_is_too_long_is_not_parsed() -> None:
    assert if_python("x\n" * (PARSED_CHARACTERS // 2)) is not None
    assert if_python("x\n" * PARSED_CHARACTERS) is None


def hostile_trace(facts: str) -> Trace:
    """Return a trace with a hundred saved tensors that are stale and overwritten, and 50,000 records of the kind `facts`."""
    many, ids = 50_000, range(100)
    geometry = Geometry(dtype="f", device="", layout="", shape=[], stride=[], storage_offset=0, storage=StorageId(0))
    looked = [(Tick(0), geometry)]
    counted: list[tuple[Tick, VersionCounterId | Unknown | None]] = [(Tick(0), VersionCounterId(0))]
    tensors = [
        Tensor(id=TensorId(i), born=Tick(0), type="", geometry=looked, version_counter=counted, base=[])
        for i in range(many if facts in ("sharers", "named sharers") else 1)
    ]
    names = [Name(id=NameId(i), path=f"x{i}", frame=FrameId(0), tensor=[(Tick(0), TensorId(i))]) for i in range(len(tensors))]
    if facts == "names":
        names = [Name(id=NameId(0), path="x", frame=FrameId(0), tensor=[(Tick(0), TensorId(0))] * many)]
    elif facts == "geometries":
        tensors[0].geometry.extend(looked * many)
    elif facts == "bases":
        tensors[0].base.extend([(Tick(0), None)] * many)
    slots = [(number, "self") for number in ids] + [(0, "self")] * (many if facts == "slots" else 0)
    hit = (Tick(9), WriteId(0))
    return Trace(
        source="z=a*b\n" * 200,
        header=HEADER,
        frames=[Frame(id=FrameId(0), function="", began=Tick(0), line=1)],
        steps=[
            Step(id=StepId(i), kind="statement", began=Tick(i), ended=Tick(i),
                 span=Span(line=i + 1, column=2, end_line=i + 1, end_column=5))
            for i in ids
        ],
        names=names if facts in ("names", "named sharers") else [],
        tensors=tensors,
        storages=[Storage(id=StorageId(0), born=Tick(0), device="", address="0x0")],
        version_counters=[VersionCounter(id=VersionCounterId(0))],
        writes=[
            Write(id=WriteId(0), tick=Tick(9), step=StepId(0), storage=StorageId(0), begin=0, end=0, tensor=TensorId(0),
                  operator=None, version_counter=None, version=None, changed=None)
        ],
        nodes=[
            Node(id=NodeId(i), name="N", born=Tick(0), made_by=StepId(i), sequence_nr=None, edges=[], inputs=[]) for i in ids
        ],
        saved_tensors=[
            SavedTensor(id=SavedTensorId(i), node=NodeId(node), name=slot, tick=Tick(0), tensor=None, version=0,
                        geometry=msgspec.structs.replace(geometry, dtype="g"), version_counter=VersionCounterId(0),
                        outdated=[hit] if stale else [], overwritten=[] if stale else [hit])
            for i, (stale, (node, slot)) in enumerate((stale, place) for stale in (True, False) for place in slots)
        ],
        ended=Finished(),
    )  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("facts", ["sharers", "named sharers", "names", "geometries", "bases", "slots"])
def test_many_findings_cost_no_more_than_one_look_at_many_facts(facts: str) -> None:
    trace = hostile_trace(facts)
    check(trace)
    began = time.process_time()
    assert len(explain(trace).findings) == 200
    assert time.process_time() - began < 250 * reading_seconds(), "measured: 65 at most"
