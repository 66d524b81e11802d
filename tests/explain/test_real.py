"""Findings for programs in snippets/.

The first lines of a file are the expected finding, `# finds: <kind> <saver> <writer> [<needer>]` with line numbers, or `#
finds: nothing`, and a line of the fix, `# fixed: <line>`. To add a case, add a file.
"""

from functools import cache
from pathlib import Path

import msgspec
import pytest

from app.explain import Document, Finding, explain
from app.lessons import lessons
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.words import LANGUAGES, sentence
from tests.explain.recorded import Traces, fold, record, reworded
from tests.recordings import chunks
from tests.sampling import some

SNIPPETS = sorted((Path(__file__).parent / "snippets").glob("*.py.txt"))
OTHERS = 12
"""Each trace is combined with the source text of one other program; in `make test-long`, with those of all others."""
MOST_CUTS = 50
SILENT = "data-hides-the-write"
STALE = "detach-tells-on-the-write"
CUT = "detach-writes-the-original"


def split(path: Path) -> tuple[dict[str, str], str]:
    head, _, source = path.read_text(encoding="utf-8").partition("\n\n")
    return dict(line.removeprefix("# ").split(": ", 1) for line in head.splitlines()), source


@cache
def recordings() -> Traces:
    return Traces(
        {path.name: split(path)[1] for path in SNIPPETS} | {lesson.slug: lesson.snippet.source for lesson in lessons()}
    )


def recording(name: str) -> Trace:
    return recordings()[name]


def told(document: Document, finding: Finding) -> str:
    spans = [document.trace.steps[step].span for step in finding.steps]
    return " ".join([finding.kind, *(str(span.line) for span in spans if span is not None)])


@pytest.mark.sweep
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.name.removesuffix(".py.txt"))
def test_snippet(path: Path) -> None:
    expected, _ = split(path)
    document = explain(recording(path.name))
    found = [told(document, finding) for finding in document.findings]
    assert found == ([] if expected["finds"] == "nothing" else [expected["finds"]])
    for finding in document.findings:
        for language in LANGUAGES:
            said = sentence(language, f"finding-{finding.kind}", **finding.arguments)
            assert "{" not in said and "``" not in said
    if "fixed" in expected:
        lines = [line.strip() for line in document.findings[0].fixes[0].source.splitlines()]
        assert expected["fixed"] in lines


@pytest.mark.sweep
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.name.removesuffix(".py.txt"))
def test_another_wording_of_torch_gives_the_same_findings(path: Path) -> None:
    trace = recording(path.name)
    assert explain(reworded(trace)).findings == explain(trace).findings


@pytest.mark.patient
def test_the_first_fix_mends_the_run() -> None:
    findings = [
        finding for trace in some(__file__, recordings()).values() for finding in explain(trace).findings if finding.fixes
    ]
    fixed, kinds = [finding.fixes[0].source for finding in findings], [finding.kind for finding in findings]
    for kind, trace in zip(kinds, record(fixed), strict=True):
        assert isinstance(trace.ended, Finished), trace.ended
        left = explain(trace).findings
        assert kind not in [finding.kind for finding in left], trace.source
        assert [finding for finding in left if finding.severity != "hint"] == []


def read(traces: list[Trace]) -> None:
    """Explain traces with the source text of other programs, and traces that end early. Nothing raises, and all steps in
    findings exist.
    """
    for trace in traces:
        for finding in explain(trace).findings:
            assert all(step < len(trace.steps) for step in finding.steps)
            sentence("en", f"finding-{finding.kind}", **finding.arguments)


def with_texts_of(paths: list[Path], trace: Trace) -> list[Trace]:
    return [msgspec.structs.replace(trace, source=split(path)[1]) for path in paths]


@pytest.mark.sweep
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.name.removesuffix(".py.txt"))
def test_a_run_cut_anywhere_and_a_text_that_is_another_raise_nothing(path: Path) -> None:
    source = split(path)[1]
    sent = chunks(source)
    # each shortened recording is joined from its chunks again
    for count in range(1, len(sent), 1 + len(sent) // MOST_CUTS):
        read([fold(source, sent[:count])])
    read(with_texts_of(SNIPPETS[SNIPPETS.index(path) % OTHERS :: OTHERS], recording(path.name)))


@pytest.mark.long  # all pairs of snippets
def test_no_run_with_any_other_text_raises_anything() -> None:
    for path in SNIPPETS:
        read(with_texts_of(SNIPPETS, recording(path.name)))


CAUGHT = """
import torch

w = torch.ones(3, requires_grad=True)
for attempt in range(3):
    try:
        w += 1
    except RuntimeError:
        if attempt == 2:
            raise
"""


def test_what_the_program_caught_is_a_hint_and_what_ended_it_an_error() -> None:
    (trace,) = record([CAUGHT])
    first, second = explain(trace).findings
    assert [(finding.kind, finding.severity, finding.line) for finding in (first, second)] == [
        ("leaf_written", "hint", 7),
        ("leaf_written", "error", 7),
    ]
    assert "The program caught this error." in sentence("en", "finding-leaf_written", **first.arguments)
    assert "caught" not in sentence("en", "finding-leaf_written", **second.arguments)


@pytest.mark.parametrize("end", ["raise ValueError from None", "raise SystemExit(3)", "pass"])
def test_what_was_caught_is_no_error_however_the_run_ends(end: str) -> None:
    (trace,) = record([f"import torch\ntry:\n    torch.ones(2, 3).t().view(6)\nexcept RuntimeError:\n    {end}\n"])
    assert [(finding.kind, finding.severity) for finding in explain(trace).findings] == [("not_viewable", "hint")]


def test_the_sentence_names_who_did_what() -> None:
    (finding,) = explain(recording(STALE)).findings
    assert sentence("en", f"finding-{finding.kind}", **finding.arguments) == (
        "`MvBackward0` on line 9 saved `d` (version 0). Line 11 then modified it in place through `d_` (version 1). "
        "The backward on line 12 needs the old values, so it raises an error."
    )


def test_a_step_between_two_backwards_is_told_in_one_sentence() -> None:
    (finding,) = explain(recording("gan-step-between-backwards.py.txt")).findings
    assert sentence("en", f"finding-{finding.kind}", **finding.arguments) == (
        "`AddmmBackward0` on line 6 saved `D[2].weight` (version 1). `opt_d.step()` on line 9 then modified it in "
        "place (version 2). The backward on line 11 needs the old values, so it raises an error."
    )


def test_an_alias_set_on_other_memory_is_not_told_as_a_write_to_other_cells() -> None:
    (finding,) = explain(recording("alias-set-on-other-memory.py.txt")).findings
    assert finding.arguments["bytes"] == "unknown"
