"""Decide whether a fix works by running the program with and without it. Each test violates one condition that a working fix
must meet.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.explain import Document, Finding, explain
from app.explain.corrected.gradients import corrected_gradients, is_asked_for
from app.explain.tried.judge import Verdict, judge
from app.explain.tried.old_forward import is_of_an_old_forward
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.records import Tick
from tests.corpus.heads import PROGRAMS
from tests.explain.recorded import record
from tests.recordings import worker
from tests.trace.generated import traces
from tests.tracer.workers import Worker

SNIPPETS = Path(__file__).parent / "snippets"
SEEN = Path(__file__).parents[1] / "corpus/programs"
OTHERWISE = ("times-sampled-before-the-loop",)
"""Programs with a first fix unlike the repair in their head."""
WEIGHTS = {"error": 0, "warning": 1, "hint": 2}

X = "import torch\nx = torch.tensor([2.0], requires_grad=True)\nh = x * 1\n"
SILENT = X + "y = h * h\nh.data.mul_(100)\ny.sum().backward()\n"
STALE = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n"
FIXED = STALE.replace("y += 1", "y = y + 1")
TWICE = STALE + "z = x.exp()\nz += 1\nz.sum().backward()\n"
FROZEN = """import torch
w = {"a": torch.ones(2, requires_grad=True).clone()}
for name, value in w.items():
    value.requires_grad = False
"""
CLAMPED = """import torch
w = torch.full((2,), 3.0, requires_grad=True)
for _ in range(2):
    y = (w * w).sum()
    w.data.clamp_(0, 1)
    y.backward()
"""
CLOSURE = """import torch
w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
guess = w * torch.ones(3)
for _ in range(2):
    opt.zero_grad()
    loss = (guess - 3).square().mean()
    loss.backward()
    opt.step()
"""
OWN_WRITE = """import torch
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        WRITE
        return grad * 2
w = torch.ones(2, requires_grad=True)
array = w.detach().numpy()
y = Doubled.apply(w)
y.backward(torch.ones(2))
y.backward(torch.ones(2))
"""
ROUNDS = """import torch
x = torch.ones(2, requires_grad=True)
total = x.exp()
for row in torch.ones(2, 2):
    y = row * 2
    total += 1
total.sum().backward()
"""
NARROW = """import torch
kept = [torch.ones(2), torch.ones(2, dtype=torch.int64)]
for each in kept:
    each += 0.5
"""
WRITTEN = (SNIPPETS / "written-before-any-backward.py.txt").read_text(encoding="utf-8")
LOOP = STALE + "for i in range(1000):\n    pass\n"

CASES: dict[str, tuple[str, str, str]] = {
    "it is gone, and the run finishes": (STALE, FIXED, "works"),
    "a copy is written": (SILENT, SILENT.replace("h.data.mul_", "h.detach().clone().mul_"), "works"),
    "an import is no changed line": (
        STALE.replace("y =", "print(x)\ny ="),
        "import copy\n" + FIXED.replace("y = x", "print(x)\ny = x"),
        "works",
    ),
    "the write comes below the backward": (SILENT, X + "y = h * h\ny.sum().backward()\nh.data.mul_(100)\n", "works"),
    "the last line of a loop is another": (ROUNDS, ROUNDS.replace("total += 1", "total = total + 1"), "works"),
    "a write is made where it can be": (
        NARROW,
        NARROW.replace("each += 0.5", "if each.is_floating_point():\n        each += 0.5"),
        "works",
    ),
    "a call that writes nothing gets a name": (
        STALE.replace("y =", "def show():\n    x.cos()\nshow()\ny ="),
        FIXED.replace("y = x", "def show():\n    z = x.cos()\nshow()\ny = x"),
        "works",
    ),
    "one of two is gone": (SILENT + SILENT, SILENT + SILENT.replace("h.data.mul_", "h.detach().clone().mul_"), "still_found"),
    "it is still there": (SILENT, SILENT + "print(y)\n", "still_found"),
    "it is somewhere else": (SILENT, SILENT.replace("h.data.mul_(100)", "pass\nh.data.mul_(99)"), "still_found"),
    "a new warning": (
        WRITTEN,
        WRITTEN.replace(".data", ".detach()"),
        "new_finding",
    ),
    "a name that nothing gives a value was hidden behind it": (STALE + "plt.plot(x)\n", FIXED + "plt.plot(x)\n", "works"),
    "a package that is not there was hidden behind it": (STALE + "import wandb\n", FIXED + "import wandb\n", "works"),
    "a name that the fix takes away": (STALE + "print(y)\n", FIXED.replace("y", "z") + "print(y)\n", "raises"),
    "a name that the fix reads itself": (STALE, FIXED.replace("y + 1", "y + one"), "raises"),
    "an exception of values was hidden behind it": (STALE + "x.view(7)\n", FIXED + "x.view(7)\n", "raises"),
    "it raises something else": (STALE, FIXED + "1 / 0\n", "raises"),
    "it raises the next of its kind": (TWICE, TWICE.replace("y += 1", "y = y + 1"), "raises"),
    "it catches what it raises": (
        SILENT,
        SILENT.replace("h.data.mul_(100)", "try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass"),
        "raises",
    ),
    "it ends by itself": (SILENT, SILENT.replace("h.data.mul_(100)", "pass") + "raise SystemExit(3)\n", "ended"),
    "something before it was printed otherwise": (
        STALE.replace("y =", "import os\nprint(os.urandom(8))\ny ="),
        FIXED.replace("y = x", "import os\nprint(os.urandom(8))\ny = x"),
        "before",
    ),
    "a tensor before it has other values": (
        STALE.replace("y =", "torch.seed()\nn = torch.rand(3)\ny ="),
        FIXED.replace("y = x", "torch.seed()\nn = torch.rand(3)\ny = x"),
        "before",
    ),
    "a number before it is another": (
        STALE.replace("y =", "import time\nnow = time.time_ns()\ny ="),
        FIXED.replace("y = x", "import time\nnow = time.time_ns()\ny = x"),
        "before",
    ),
    "the loop's variable alone is given a value": (
        FROZEN,
        FROZEN.replace("value.requires_grad = False", "value = value.detach()"),
        "lost_write",
    ),
    "a copy is written of what is read later": (
        CLAMPED,
        CLAMPED.replace("w.data.clamp_", "w.detach().clone().clamp_"),
        "lost_write",
    ),
    "a graph is kept whose leaf was changed": (
        CLOSURE,
        CLOSURE.replace("backward()", "backward(retain_graph=True)"),
        "old_forward",
    ),
    "another gradient": (SILENT, SILENT.replace("h.data.mul_(100)", "h = h * 100; y = h * h"), "gradients"),
    "another backward": (
        SILENT,
        SILENT.replace("h.data.mul_(100)", "h = h * 100; y = h * h").replace("y.sum()", "(y * 1).sum()"),
        "gradients_unknown",
    ),
}


def first(document: Document) -> Finding:
    return min(document.findings, key=lambda finding: WEIGHTS[finding.severity])


def judged(source: str, fixed: str, **more: Any) -> Verdict:
    [original, there] = record([source, fixed])
    document = explain(original)
    finding = first(document)
    corrected = None
    if is_asked_for([finding]):
        corrected = corrected_gradients(original, *record([source], "preserved"), *record([source], "preserved", turn=2))
    return judge(document, finding, explain(there), corrected, **more)


@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str) -> None:
    source, fixed, expected = CASES[name]
    found = judged(source, fixed)
    assert (found.reason or found.verdict) == expected
    assert found.verdict == {"": "works", "gradients_unknown": "untried"}.get(found.reason, "fails")


def test_what_comes_out_otherwise_each_time_is_not_the_fixs_fault() -> None:
    source, fixed, _ = CASES["a number before it is another"]
    [again] = record([source], turn=2)
    assert judged(source, fixed, again=again) == Verdict(verdict="untried", reason="unsteady")
    source, fixed, _ = CASES["it raises something else"]
    assert judged(source, fixed, again=again).reason == "raises"


def test_a_run_that_a_limit_ends_got_past_what_raised() -> None:
    def of(fixed: str) -> Verdict:
        [original, there] = [*record([LOOP]), *record([fixed], statements=50)]
        assert there.ended.__struct_config__.tag == "stopped"
        document = explain(original)
        return judge(document, first(document), explain(there))

    assert of(LOOP.replace("y += 1", "y = y + 1")).verdict == "works"
    assert of(LOOP.replace("y += 1", "for i in range(1000):\n    pass\ny = y + 1")).reason == "ended"


@pytest.mark.parametrize("write", ["array[:] = 3", "w.data.fill_(3)", "pass"])
def test_a_node_that_writes_its_leaf_itself_runs_again_after_the_write(write: str) -> None:
    [trace] = record([OWN_WRITE.replace("WRITE", write)])
    assert trace.ended == Finished() and is_of_an_old_forward(trace) == (write != "pass")


def test_a_run_that_is_explained_in_part_is_no_evidence() -> None:
    [original, there] = record([STALE, FIXED])
    document = explain(original)
    fixed = msgspec.structs.replace(explain(there), unfinished=1)
    assert judge(document, first(document), fixed) == Verdict(verdict="untried", reason="unfinished")


@pytest.mark.sweep
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(traces(), traces(), st.booleans())
def test_it_never_raises(one: Trace, other: Trace, is_same: bool) -> None:
    document, fixed = explain(one), explain(one if is_same else other)
    finding = Finding(kind="freed_graph", severity="error", tick=Tick(0), line=1)
    for mended in (finding, *document.findings):
        judge(msgspec.structs.replace(document, findings=[*document.findings, finding]), mended, fixed, None, other)


@pytest.mark.long
def test_the_first_fixes_that_are_offered_work() -> None:
    """A program with a fix that was judged to work finishes without a recorder. For programs of the corpus, the fixed program
    also meets the `repaired` conditions in its head.
    """
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted(SNIPPETS.glob("*.txt"))}
    programs = [program for program in PROGRAMS if program.edits and (SEEN / f"{program.name}.py").exists()]
    heads = {program.name: program.head["repaired"] for program in programs if program.name not in OTHERWISE}
    sources |= {program.name: program.source for program in programs}
    offered, passed, wrong = 0, 0, []
    plain = worker("bare")
    for name, source in sources.items():
        document = explain(record([source])[0])
        fixes = [fix for finding in sorted(document.findings, key=lambda each: WEIGHTS[each.severity]) for fix in finding.fixes]
        if not fixes or fixes[0].stand_in:
            continue
        offered += 1
        if judged(source, fixes[0].source).verdict != "works":
            continue
        passed += 1
        run = _plain(plain, fixes[0].source, heads.get(name, []))
        if run:
            wrong.append((name, run))
    print(f"{passed} of {offered} first fixes pass")
    assert passed >= 0.9 * offered > 40
    assert wrong == []


def _plain(worker: Worker, source: str, true: list[str]) -> str:
    run = json.loads(worker.answer(source, probes=true))
    if run["raised"]:
        return f"raises {run['raised'][0]}"
    return ", ".join(text for text, said in zip(true, run.get("probed", []), strict=True) if said != "True")
