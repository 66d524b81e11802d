"""No finding of the tests' own snippets and of the lessons is contradicted by a witness that it did not hear."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from app.explain import Document, Finding, explain
from app.explain.corrected.gradients import SameGradients, corrected_gradients
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.index import Index
from tests.explain import test_cases, test_real
from tests.explain.oracles.claims import CLAIMS, judged
from tests.explain.oracles.messages import MESSAGES, contradiction, freed_elsewhere, given_back, unwarned
from tests.explain.recorded import record
from tests.explain.test_words import KINDS
from tests.tracer.programs import programs

TEXT = {"download", "pasted_indentation", "pasted_prompts", "sealed", "shell_lines", "worker_processes"}
"""About the text of a snippet, or about this machine: nothing of torch's to be asked."""


@cache
def documents() -> dict[str, Document]:
    return {name: explain(trace) for name, trace in (test_cases.recordings() | test_real.recordings()).items()}


def is_raised(finding: Finding) -> bool:
    """Whether it explains an exception, and does not only foretell one."""
    return finding.kind in MESSAGES and (finding.severity == "error" or finding.arguments.get("caught") == "yes")


def complaints(name: str, document: Document) -> tuple[Counter[str], list[str]]:
    """By kind how often a witness confirmed a finding; and what witnesses object."""
    trace = document.trace
    index, confirmed, wrong = Index(trace), Counter[str](), []
    for finding in document.findings:
        objections = []
        if is_raised(finding):
            objections.append(contradiction(trace, index, finding))
        elif finding.kind == "stale_saved_tensor":
            objections.append(not_waiting(trace))
        if finding.kind == "freed_graph":
            objections.append(freed_elsewhere(trace, index, finding))
        elif finding.kind == "rewrapped":
            objections.append(unwarned(trace, finding) if finding.severity == "hint" else given_back(trace, finding))
        confirmed[finding.kind] += bool(objections) and not any(objections)
        wrong += [f"{name}: {finding.kind}: {objection}" for objection in objections if objection is not None]
    claimed = [finding for finding in document.findings if finding.kind in CLAIMS]
    for finding, verdict in zip(claimed, judged(trace.source, claimed) if claimed else [], strict=True):
        confirmed[finding.kind] += verdict.confirmed > 0
        wrong += [f"{name}: {finding.kind}: {each}" for each in verdict.contradicted]
    return confirmed, wrong


def not_waiting(trace: Trace) -> str | None:
    """Where no backward came yet: whether one that is added at the end, from any tensor with a name, is refused."""
    if not isinstance(trace.ended, Finished):
        return None
    paths = dict.fromkeys(name.path for name in trace.names if name.frame == 0 and name.path.isidentifier())
    tries = "".join(
        f"\nif hasattr(globals().get({path!r}), 'grad_fn') and {path}.grad_fn is not None:\n"
        f"    try: {path}.sum().backward(retain_graph=True)\n    except RuntimeError as error: print('refused:', error)"
        for path in paths
    )
    [tried] = record([trace.source + tries])
    said = "".join(output.text for output in tried.outputs)
    return None if "modified by an inplace operation" in said else "no backward is refused"


def test_every_kind_has_a_witness() -> None:
    assert {*MESSAGES, *CLAIMS, *TEXT, "rewrapped", "silently_wrong_gradient"} == KINDS


def test_no_finding_is_contradicted(capsys: pytest.CaptureFixture[str]) -> None:
    spoke, confirmed, wrong = Counter[str](), Counter[str](), []
    for name, document in documents().items():
        spoke.update(finding.kind for finding in document.findings)
        found, objections = complaints(name, document)
        confirmed += found
        wrong += objections
    with capsys.disabled():
        print("\n" + ", ".join(f"{kind} {count} ({confirmed[kind]} confirmed)" for kind, count in sorted(spoke.items())))
    assert not wrong, "\n".join(wrong)
    silent = {kind for kind in spoke if kind not in TEXT and kind != "silently_wrong_gradient" and not confirmed[kind]}
    assert not silent, "no witness of these was heard"


def test_a_gradient_that_is_called_wrong_is_another_with_the_values_that_were_saved() -> None:
    found = {
        name: finding.arguments["effect"]
        for name, document in documents().items()
        for finding in document.findings
        if finding.kind == "silently_wrong_gradient"
    }
    assert len(found) >= 4
    sources = [documents()[name].trace.source for name in found]
    for name, *traces in zip(
        found, record(sources), record(sources, "preserved"), record(sources, "preserved", turn=2), strict=True
    ):
        right = corrected_gradients(*traces)
        assert found[name] != "wrong" or not isinstance(right, SameGradients), name


@pytest.mark.long
@settings(max_examples=1000, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
@given(programs())
def test_no_finding_of_a_generated_program_is_contradicted(source: str) -> None:
    [trace] = record([source])
    _, wrong = complaints("generated", explain(trace))
    assert not wrong, "\n".join([source, *wrong])
