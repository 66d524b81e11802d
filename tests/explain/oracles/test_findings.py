"""Check the findings about the tests' snippets and the lessons against torch's messages and a run without a recorder."""

import re
from collections import Counter
from functools import cache

import msgspec
import pytest

from app.explain import Document, Finding, explain
from app.explain.corrected.gradients import corrected_gradients
from app.explain.corrected_records import SameGradients
from app.lessons import lessons
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.index import Index
from tests.explain import test_cases, test_real
from tests.explain.oracles.claims import CLAIMS, judged
from tests.explain.oracles.messages import MESSAGES, contradiction, cut_all_the_same, given_back, unwarned
from tests.explain.recorded import Traces, record
from tests.explain.test_words import KINDS

SNIPPETS = {path.name: path for path in test_real.SNIPPETS}
TEXT = {
    "command_line",
    "download",
    "limit_met",
    "pasted_indentation",
    "pasted_prompts",
    "sealed",
    "shell_lines",
}
"""Findings about the text of a snippet or about the machine, which torch cannot confirm."""


RECORDINGS = Traces(test_cases.recordings().sources | test_real.recordings().sources)
"""The programs with known findings."""


@cache
def explained(name: str) -> Document:
    return explain(RECORDINGS[name])


def is_raised(finding: Finding) -> bool:
    """Whether a finding explains an exception that occurred. (Other findings predict one.)"""
    return finding.kind in MESSAGES and (finding.severity == "error" or finding.arguments.get("caught") == "yes")


def complaints(name: str, document: Document) -> tuple[Counter[str], list[str]]:
    """Check all findings of a document. Return the number of confirmed findings by kind, and the objections."""
    trace = document.trace
    index, confirmed, wrong = Index(trace), Counter[str](), []
    for finding, verdict in zip(document.findings, judged(trace.source, document.findings), strict=True):
        objections: list[str | None] = [*verdict.contradicted]
        if is_raised(finding):
            objections.append(contradiction(trace, index, finding))
        elif finding.kind == "stale_saved_tensor":
            objections.append(not_waiting(trace))
        elif finding.kind == "rewrapped":
            is_told = finding.severity == "hint"
            objections += (
                [unwarned(trace, finding)] if is_told else [given_back(trace, finding), cut_all_the_same(trace, finding)]
            )
        said = [objection for objection in objections if objection is not None]
        if not said and (verdict.confirmed or objections):
            confirmed[finding.kind] += 1
        wrong += [f"{name}: {finding.kind}: {objection}" for objection in said]
    return confirmed, wrong


def not_waiting(trace: Trace) -> str | None:
    """Return an objection if a program has no backward, but backward from every named tensor would succeed at the end."""
    if not isinstance(trace.ended, Finished):
        return None
    paths = dict.fromkeys(name.path for name in trace.names if name.frame == 0 and name.path.isidentifier())
    tries = "".join(
        f"\nif hasattr(globals().get({path!r}), 'backward'):\n"
        f"    try: {path}.sum().backward(retain_graph=True)\n    except RuntimeError as error: print('refused:', error)"
        for path in paths
    )
    [tried] = record([trace.source + tries])
    said = "".join(output.text for output in tried.outputs)
    # For several views of one call such as `unbind`, torch's message differs when the saved tensor is unpacked.
    return None if re.search("modified (?:by an )?inplace", said) else "no backward is refused"


def test_every_kind_has_a_witness() -> None:
    assert {*MESSAGES, *CLAIMS, *TEXT, "rewrapped"} == KINDS


def kinds_named(name: str) -> set[str]:
    """Return the expected kinds of findings, from the head of a snippet or from the table in test_cases.py."""
    if name in test_cases.CASES:
        return {found.split(" ")[0] for found in test_cases.CASES[name][0].split(", ")}
    finds = test_real.split(SNIPPETS[name])[0]["finds"] if name in SNIPPETS else "nothing"
    return {finds.split(" ")[0]} - {"nothing"}


@pytest.mark.sweep
@pytest.mark.parametrize("name", RECORDINGS)
def test_no_finding_is_contradicted_and_each_that_is_named_is_confirmed(name: str) -> None:
    confirmed, objections = complaints(name, explained(name))
    assert objections == []
    assert kinds_named(name) - TEXT <= confirmed.keys()


def test_a_gradient_that_is_called_wrong_is_another_with_the_values_that_were_saved() -> None:
    of_lessons = {lesson.slug: {found.split(" ")[0] for found in lesson.snippet.findings} for lesson in lessons()}
    named = {name: kinds_named(name) for name in RECORDINGS} | of_lessons
    found = {
        name: finding.arguments["effect"]
        for name, kinds in named.items()
        if "silently_wrong_gradient" in kinds
        for finding in explained(name).findings
        if finding.kind == "silently_wrong_gradient"
    }
    assert len(found) >= 4
    sources = [RECORDINGS.sources[name] for name in found]
    for name, *traces in zip(
        found, record(sources), record(sources, "preserved"), record(sources, "preserved", turn=2), strict=True
    ):
        right = corrected_gradients(*traces)
        assert found[name] != "wrong" or not isinstance(right, SameGradients), name


OTHERWISE = {
    "hook-before-a-write": ("h.mul_(3)", "h.data.mul_(3)"),
    "default-list-of-tensors": ("history.append(x * 2)", "history = history + [x * 2]"),
    "losses-added-with-their-graphs": ("total += loss", "total += loss.detach()"),
    "losses-kept-with-their-graphs": ("append(loss)", "append(loss.detach())"),
    "function-not-marked-dirty": ("x.add_(1)", "ctx.mark_dirty(x); x.add_(1)"),
    "zero-grad-forgotten": ("loss.backward()", "opt.zero_grad(); loss.backward()"),
    "freed-by-the-second-backward": ("grad(a, x)", "grad(a, x, retain_graph=True)"),
    "activation-kept-by-a-hook": ("inplace=True", "inplace=False"),
}
"""Snippets, and edits after which their findings would be false."""


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_claim_is_contradicted_by_a_program_that_does_otherwise(name: str) -> None:
    document = explained(f"{name}.py.txt")
    source = document.trace.source.replace(*OTHERWISE[name])
    assert source != document.trace.source
    [verdict] = judged(source, document.findings)
    assert verdict.contradicted


INFERENCE_LEAF = """
import torch
with torch.inference_mode():
    b = torch.ones(3, requires_grad=True)
b."""
"""If the other operand is an inference tensor, torch objects to that; otherwise to the write to a leaf."""


@pytest.mark.parametrize(("write", "kinds"), [("zero_()", ["inference_tensor"]), ("set_(b.detach())", []), ("mul_(2)", [])])
def test_what_torch_refuses_for_another_reason_is_not_said(write: str, kinds: list[str]) -> None:
    [trace] = record([INFERENCE_LEAF + write])
    assert [finding.kind for finding in explain(trace).findings] == kinds


LEAF = "import torch\nb = torch.ones(4, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("b = b[0]\nb.copy_(torch.ones(()))\n", "leaf_written '' view"),
        ("leaf, b = b, b.expand(2, 4)\nb[0] += 1\n", "leaf_written 'leaf' view"),
        ("c = b.chunk(2)[0]\nf = b.view(-1)\nf.detach().mul_(2)\nc += c\n", "view_of_many 'b' itself"),
    ],
)
def test_a_view_is_told_as_one_and_by_names_that_lead_there(rest: str, told: str) -> None:
    [trace] = record([LEAF + rest])
    [finding] = explain(trace).findings
    known = finding.arguments.get("leaf", finding.arguments.get("base"))
    assert f"{finding.kind} {known!r} {finding.arguments['how']}" == told


TWICE = """import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y * 2
y = x[:2].exp()
y.add_(1)
y.sum().backward()
"""


def test_a_stale_tensor_is_contradicted_by_what_torch_says_of_another() -> None:
    [trace] = record([TWICE])
    [finding] = explain(trace).findings
    assert contradiction(trace, Index(trace), finding) is None
    others = [saved.id for saved in trace.saved_tensors if list(saved.geometry.shape) == [3]]
    assert contradiction(trace, Index(trace), msgspec.structs.replace(finding, saved_tensors=others[:1]))


def test_a_cut_is_contradicted_where_stacked_tensors_reach_no_further_leaf() -> None:
    cut = "import torch\nw = torch.ones(2, requires_grad=True)\nparts = [w[0], w[1]]\nv = torch.ones(1, requires_grad=True)\n"
    [trace] = record([cut + "a = torch.tensor([w[0] * 2, w[1] * 3])\n(a.sum() * v).backward()\n"])
    [finding] = [each for each in explain(trace).findings if each.kind == "rewrapped"]
    assert cut_all_the_same(trace, finding) is None
    same = [msgspec.structs.replace(fix, source=trace.source) for fix in finding.fixes]
    assert cut_all_the_same(trace, msgspec.structs.replace(finding, fixes=same))
