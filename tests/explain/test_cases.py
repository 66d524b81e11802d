"""Findings for typical mistakes and questions of PyTorch users.

A case is an entry of the table for a snippet in tests/tracer/snippets: the expected findings, the lines of their steps, and a
line of the first fix. Snippets without an entry have no findings. The results do not depend on torch's messages.
"""

from functools import cache
from pathlib import Path

import pytest

from app.explain import Document, explain
from app.explain.finding import Finding
from app.trace.ends import Finished
from app.words import LANGUAGES, sentence
from tests.explain.recorded import Traces, record, reworded
from tests.sampling import some

SNIPPETS = {path.stem.partition("_")[0]: path for path in sorted((Path(__file__).parents[1] / "tracer/snippets").glob("s*.py"))}

CASES: dict[str, tuple[str, str]] = {
    "s02": ("stale_saved_tensor 5 6 7", "y = y.add(1)"),
    "s04": ("stale_saved_tensor 5 6 7", "s = s * 2"),
    "s06": ("stale_saved_tensor 6 7 8", "h = h + x"),
    "s08": ("stale_saved_tensor 6 7 8", ""),
    "s09": ("stale_saved_tensor 8 8 9", "out[i] = out[i - 1].clone() * w"),
    "s11": ("stale_saved_tensor 7 11 12", "opt.step()"),
    "s11b": ("stale_saved_tensor 7 11 12", "opt.step()"),
    "s13": ("stale_saved_tensor 6 7 8", "x = x.mul(0)"),
    "s14": ("stale_saved_tensor 5 8 9", ""),
    "s17": ("silently_wrong_gradient 6 7 8", "y.sum().backward()"),
    "s18": ("stale_saved_tensor 6 7 8", "y.sum().backward()"),
    "s26": ("leaf_written 4 5", "w += 1"),
    "s27": ("leaf_written 4 5", "w[0] = 5.0"),
    "s27b": ("leaf_written 5 6", "v.mul_(2)"),
    "s27c": ("leaf_written 4 5", "w[:] += 1"),
    "s29": ("cut_graph 6 7 8", "w -= 0.1 * w.grad"),
    "s42": ("cut_graph 5", "x = torch.tensor([1.0], requires_grad=True)"),
    "s43": ("cut_graph 5 7", ""),
    "s43b": ("cut_graph 5 7", ""),
    "s45": ("rewrapped 5", "a = torch.stack([x[0] * 2, x[1] * 3])"),
    "s46": ("numpy_of_tracked 5", "x.detach().numpy()"),
    "s47": ("not_scalar 5 6", "y.sum().backward()"),
    "s49": ("cut_graph 6 8", "z = y"),
    "s58": ("same_object 5 6", 'y = x.to("cpu").clone()'),
    "s70": ("small_view 5 6", ""),
    "s61": ("view_of_many 5 6", "row = x[i]"),
    "s61c": ("view_of_many 5 6", "part = part.mul(2)"),
    "s72": ("inference_tensor 6 7", "with torch.no_grad():"),
    "s72b": ("inference_tensor 5 6", "with torch.no_grad():"),
    "s23": ("one_memory 8 9", "hist.append(w.detach().clone())"),
    "s28": ("non_leaf_grad 9 8", "w -= 0.1 * w.grad"),
    "s30": ("leaf_needed 4 5", "w = w.detach().requires_grad_()"),
    "s39": ("leaf_needed 5 6", "y = y.detach()"),
    "s41": ("leaf_needed 7 7", "z = (x * 2).detach().clone()"),
    "s35": ("live_state 5 10", "best = copy.deepcopy(m.state_dict())"),
    "s37": ("non_leaf_grad 5 7, non_leaf_grad 7", "h.retain_grad()"),
    "s37b": ("non_leaf_grad 5 7", ""),
    "s52b": ("grad_accumulated 9 9", ""),
    "s54": ("grad_accumulated 6 7", ""),
    "s54b": ("grad_accumulated 6 6", ""),
    "s67": ("one_memory 7 8", "hist.append(h.clone())"),
    "s75": ("nan_gradient 5 6", ""),
    "s76": ("reshape_mismatch 7 22", ""),
    "s51": ("freed_graph 5 7 8", "(l1 + l2).backward()"),
    "s66": ("silently_wrong_gradient 8 9 10", ""),
    "s55": ("kept_grad 6 7", "g = x.grad.clone()"),
    "s55b": ("kept_grad 7 8", "g = x.grad.clone()"),
    "s55c": ("kept_grad 6 7", "g = x.grad.clone()"),
    "s31": ("not_parameter 5", "m.weight.copy_(m.weight - 0.1)"),
    "s57": ("not_viewable 7, reshape_view 5 6", "a.t().reshape(6)"),
    "s65": ("view_detached 6 7", "v = v.detach()"),
    "s74": ("narrow_write 4 5", "x = x + 0.5"),
    "s66c": ("numpy_alias 5 6", "a = t.numpy().copy()"),
    "s66d": ("numpy_alias 6 8", "t = torch.from_numpy(a).clone()"),
    "s52": ("freed_graph 9 7 9", "h = h.detach()"),
}


@cache
def recordings() -> Traces:
    return Traces({name: path.read_text(encoding="utf-8") for name, path in SNIPPETS.items()})


def told(document: Document) -> list[str]:
    steps = document.trace.steps
    spans = [[steps[step].span for step in finding.steps] for finding in document.findings]
    return [
        " ".join([finding.kind, *(str(span.line) for span in lines if span is not None)])
        for finding, lines in zip(document.findings, spans, strict=True)
    ]


@pytest.mark.sweep
@pytest.mark.parametrize("case", SNIPPETS)
def test_case(case: str) -> None:
    document = explain(recordings()[case])
    found, fixed = CASES.get(case, ("", ""))
    assert ", ".join(told(document)) == found
    for finding in document.findings:
        for language in LANGUAGES:
            said = sentence(language, f"finding-{finding.kind}", **finding.arguments)
            assert not any(scar in said for scar in ("{", "``", "  ", "line 0", "第 0 行", "-1", " ,", " .")), said
    fixes = [fix for finding in document.findings for fix in finding.fixes]
    assert not fixed or fixed in [line.strip() for line in fixes[0].source.splitlines()]


def of_kind(findings: list[Finding], finding: Finding) -> int:
    return sum(each.kind == finding.kind for each in findings)


@pytest.mark.patient
def test_the_first_fix_mends_the_run() -> None:
    documents = [explain(recordings()[case]) for case in some(__file__, CASES)]
    mended = [(document, finding) for document in documents for finding in document.findings if finding.fixes]
    for (document, finding), trace in zip(mended, record([finding.fixes[0].source for _, finding in mended]), strict=True):
        findings = explain(trace).findings
        left = [each.kind for each in findings if each.severity != "hint"]
        others = [each.kind for each in document.findings if each.severity != "hint" and each.kind != finding.kind]
        assert left == others, trace.source
        assert of_kind(findings, finding) < of_kind(document.findings, finding), trace.source
        assert isinstance(trace.ended, Finished) or others, trace.source


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES)
def test_another_wording_of_torch_gives_the_same_findings(case: str) -> None:
    trace = recordings()[case]
    assert explain(reworded(trace)).findings == explain(trace).findings
