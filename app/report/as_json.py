"""Findings as JSON in Stepgrad's own format, with steps, lines and fixes."""

from collections.abc import Sequence

import msgspec

from app.explain import Finding
from app.report.checked import Checked, Words


def as_json(checked: Sequence[Checked], language: str) -> str:
    """`{"files": [{"path", "end", "findings", "unfinished"}]}`, with the end of each run, and each finding with its texts."""
    words = Words(language)
    files = [
        {
            "path": each.path,
            "end": {"kind": each.document.trace.ended.__struct_config__.tag, "text": words.end(each.document)},
            "findings": [_finding(each, finding, words) for finding in each.document.findings],
            "unfinished": each.document.unfinished,
        }
        for each in checked
    ]
    return msgspec.json.format(msgspec.json.encode({"files": files}), indent=2).decode() + "\n"


def _finding(checked: Checked, finding: Finding, words: Words) -> dict[str, object]:
    fixes = zip(words.fixes(finding), finding.fixes, strict=True)
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "line": finding.line,
        "title": words.title(finding),
        "text": words.body(finding),
        "places": [
            {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}
            for span in checked.spans_of(finding)
        ],
        "fixes": [{"title": title, "source": fix.source} for title, fix in fixes],
    }
