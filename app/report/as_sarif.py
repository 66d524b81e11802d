"""Findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format).

Code hosts show SARIF results next to the lines of a change. A rule's id is the kind of a finding and never changes. The
fingerprint of a result is a hash of the rule, the text of the lines, and the index among equal results, so the fingerprint
stays the same if lines are added above.
"""

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

import msgspec

from app import __version__
from app.explain import Finding
from app.report.checked import Checked, Words
from app.trace.records import Span

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Final = {"error": "error", "warning": "warning", "hint": "note"}
FINGERPRINT: Final = "stepgrad/v1"

_LINK: Final = re.compile(r"\[(?=[^\[\]]*\]\()")
"""Matches the bracket that begins an embedded link in a SARIF message."""

Json = dict[str, object]


def as_sarif(checked: Sequence[Checked], language: str) -> str:
    """One run of SARIF over all files. Paths are relative to the working directory of the command."""
    words = Words(language)
    kinds = sorted({finding.kind for each in checked for finding in each.document.findings})
    run = {
        "tool": {"driver": {"name": "Stepgrad", "semanticVersion": __version__, "rules": [_rule(kind) for kind in kinds]}},
        "columnKind": "unicodeCodePoints",
        "language": language,
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(_ends(checked, words))}],
        "artifacts": [{"location": _location(each.path), "sourceLanguage": "python"} for each in checked],
        "results": [result for each in checked for result in _results(each, kinds, words)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(kind: str) -> Json:
    words = kind.replace("_", " ")
    return {
        "id": kind,
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": f"{words[:1].upper()}{words[1:]}."},
    }


def _results(checked: Checked, kinds: list[str], words: Words) -> Iterator[Json]:
    lines = checked.document.trace.source.splitlines()
    seen_before: Counter[str] = Counter()
    for finding in checked.document.findings:
        spans = checked.spans_of(finding)
        text = "\n".join([finding.kind, *(line.strip() for span in spans for line in lines[span.line - 1 : span.end_line])])
        seen_before[text] += 1
        fingerprint = hashlib.sha256(f"{text}\n{seen_before[text]}".encode()).hexdigest()
        result: Json = {
            "ruleId": finding.kind,
            "ruleIndex": kinds.index(finding.kind),
            "level": LEVELS[finding.severity],
            "message": _message(f"{words.title(finding)}\n\n{words.body(finding)}"),
            "locations": [_place(checked.path, _region(finding, spans))],
            "partialFingerprints": {FINGERPRINT: fingerprint},
        }
        if others := [span for span in spans if span.line != finding.line]:
            result["relatedLocations"] = [_place(checked.path, _of_span(span)) for span in others]
        if finding.fixes:
            titled = zip(words.fixes(finding), finding.fixes, strict=True)
            result["fixes"] = [_fix(checked, lines, title, fix.source) for title, fix in titled]
        yield result


def _region(finding: Finding, spans: list[Span]) -> Json | None:
    """The region of a finding: the finding's statement, else the line; None for a finding about the whole file."""
    if finding.line is None or finding.file is not None:
        return None
    line: Json = {"startLine": finding.line}
    return next((_of_span(span) for span in spans if span.line == finding.line), line)


def _of_span(span: Span) -> Json:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }


def _fix(checked: Checked, lines: list[str], title: str, source: str) -> Json:
    """A fix as replacements of lines."""
    fixed = source.splitlines()
    changes = difflib.SequenceMatcher(None, lines, fixed, autojunk=False).get_opcodes()
    replacements = [
        {
            # The region ends at the beginning of a line, so it covers whole lines with their line ends.
            "deletedRegion": {"startLine": first + 1, "startColumn": 1, "endLine": last + 1, "endColumn": 1},
            "insertedContent": {"text": "".join(f"{line}\n" for line in fixed[start:end])},
        }
        for change, first, last, start, end in changes
        if change != "equal"
    ]
    changed = {"artifactLocation": _location(checked.path), "replacements": replacements}
    return {"description": {"text": title}, "artifactChanges": [changed]}


def _ends(checked: Sequence[Checked], words: Words) -> Iterator[Json]:
    """A notification for each run that did not finish."""
    for each in checked:
        if not each.is_finished:
            line = each.last_line
            place = _place(each.path, None if line is None else {"startLine": line})
            yield {"level": "error", "message": _message(words.end(each.document)), "locations": [place]}


def _message(text: str) -> Json:
    """Escape a snippet's text: double the braces (section 3.11.5), and escape the bracket of a link (section 3.11.6)."""
    return {"text": _LINK.sub(r"\\[", text.replace("{", "{{").replace("}", "}}"))}


def _place(path: str, region: Json | None) -> Json:
    physical: Json = {"artifactLocation": _location(path)}
    if region is not None:
        physical["region"] = region
    return {"physicalLocation": physical}


def _location(path: str) -> Json:
    if path == "-":
        return {"uri": "stdin"}
    return {"uri": PurePath(path).as_uri() if PurePath(path).is_absolute() else quote(PurePath(path).as_posix())}
