"""SARIF reports: valid according to the schema, with fixes that produce the fixed program, and stable fingerprints."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.explain import Document, explain
from app.report import Checked, as_sarif, has_failed
from app.report.as_sarif import FINGERPRINT, _message
from app.words import LANGUAGES
from tests.explain.recorded import record
from tests.explain.test_cases import CASES, SNIPPETS, recordings

SCHEMA = json.loads((Path(__file__).parent / "sarif/sarif-schema-2.1.0.json").read_text())
NAMES = sorted(CASES)


@cache
def document(name: str) -> Document:
    return explain(recordings()[name])


def documented(source: str) -> Document:
    (trace,) = record([source])
    return explain(trace)


def valid(log: dict[str, Any]) -> dict[str, Any]:
    """Validate a report, and return it. Raises jsonschema.ValidationError."""
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(log)
    return log


def results(source: Document, path: str = "a.py") -> list[dict[str, Any]]:
    run: list[dict[str, Any]] = json.loads(as_sarif([Checked(path, source)], "en"))["runs"][0]["results"]
    return run


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_case_in_one_report_is_valid(language: str) -> None:
    checked = [Checked(f"cases/{name}.py", document(name)) for name in NAMES]
    log = json.loads(as_sarif(checked, language))
    (run,) = valid(log)["runs"]
    told = [
        (result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], result["ruleId"]) for result in run["results"]
    ]
    assert told == [(each.path, finding.kind) for each in checked for finding in each.document.findings]
    assert len(run["results"]) > 50
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    raised = [each for each in checked if not each.is_finished]
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == len(raised) > 10


def test_the_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(as_sarif([Checked("a.py", document("s17"))], "en"))
    log["runs"][0]["results"][0]["level"] = "hint"
    assert not jsonschema.Draft4Validator(SCHEMA).is_valid(log)


def applied(source: str, replacements: list[dict[str, Any]]) -> str:
    lines = [*source.splitlines(keepends=True), ""]
    for each in reversed(replacements):
        region = each["deletedRegion"]
        assert (region["startColumn"], region["endColumn"]) == (1, 1)
        lines[region["startLine"] - 1 : region["endLine"] - 1] = [each["insertedContent"]["text"]]
    return "".join(lines)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_a_fix_makes_of_the_file_what_one_click_makes_of_the_snippet(name: str) -> None:
    given_fixes = [fix for finding in document(name).findings for fix in finding.fixes]
    reported = [fix for result in results(document(name)) for fix in result.get("fixes", [])]
    for fix, sarif in zip(given_fixes, reported, strict=True):
        (change,) = sarif["artifactChanges"]
        source = document(name).trace.source
        source += "" if source.endswith("\n") else "\n"
        assert applied(source, change["replacements"]).splitlines() == fix.source.splitlines()


def test_a_fingerprint_stays_when_lines_are_added_above_and_tells_the_same_ones_apart() -> None:
    source = SNIPPETS["s17"].read_text()
    prints = [result["partialFingerprints"][FINGERPRINT] for result in results(documented(source))]
    moved = [result["partialFingerprints"][FINGERPRINT] for result in results(documented(f"# one\n\n# two\n{source}"))]
    assert prints == moved and len(prints) == 1
    twice = "".join(f"# {n}\n{line}" for n in range(2) for line in [source.rstrip() + "\n"])
    both = [result["partialFingerprints"][FINGERPRINT] for result in results(documented(twice))]
    assert len(set(both)) == len(both) > 1 and prints[0] in both


@pytest.mark.parametrize("path", ["dir/with space/ü#1%.py", "/abs/a b.py", "-"])
def test_a_path_is_a_uri(path: str) -> None:
    (result, *_) = results(document("s17"), path)
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert " " not in uri and "#" not in uri
    expected = {"-": "stdin", "/abs/a b.py": "file:///abs/a b.py"}.get(path, path)
    assert unquote(uri) == expected


@given(st.text(alphabet="[](){}\\ab ", max_size=30))
def test_no_text_of_a_snippet_is_a_placeholder_or_a_link(text: str) -> None:
    said = str(_message(text)["text"])
    assert said.replace("{{", "").replace("}}", "").count("{") == 0
    assert said.replace("\\[", "[").replace("{{", "{").replace("}}", "}") == text.replace("\\[", "[")
    at = 0
    while (at := said.find("](", at)) >= 0:
        opening = max(said.rfind("[", 0, at), -1)
        closed_before = said.rfind("]", 0, at)
        assert opening < 0 or opening < closed_before or said[opening - 1 : opening] == "\\"
        at += 1


def test_hints_alone_do_not_fail() -> None:
    hints = [name for name in NAMES if document(name).findings and all(f.severity == "hint" for f in document(name).findings)]
    finished = [name for name in hints if Checked("a.py", document(name)).is_finished]
    assert finished and not has_failed([Checked("a.py", document(name)) for name in finished])
    assert has_failed([Checked("a.py", document("s17"))])
