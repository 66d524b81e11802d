"""Findings in the format of a compiler: file, line, severity and title in one line, so that editors can jump to them."""

import textwrap
from collections.abc import Iterator, Sequence

from app.explain import Finding
from app.report.checked import Checked, Words
from app.words.printable import printable


def as_text(checked: Sequence[Checked], language: str) -> str:
    """Return the report: the findings of each file in the order of their lines, the end of each unfinished run, and the counts."""
    words = Words(language)
    lines = [line for each in checked for line in _of_file(each, words)]
    count = sum(len(each.document.findings) for each in checked)
    broken = sum(not each.is_finished for each in checked)
    return "\n".join((*lines, words.summary(len(checked), count, broken), ""))


def _of_file(checked: Checked, words: Words) -> Iterator[str]:
    for finding in sorted(checked.document.findings, key=lambda finding: finding.line or 0):
        yield from lines_of(checked, finding, words)
    if not checked.is_finished:
        yield f"{_place(checked.path, checked.last_line)}: {words.end(checked.document)}"
    if checked.document.unfinished:
        yield f"{_place(checked.path, None)}: {words.partly(checked.document)}"


def lines_of(checked: Checked, finding: Finding, words: Words) -> Iterator[str]:
    """The lines of a finding: file, line, severity and title; then the indented text and fixes."""
    yield f"{_of_finding(checked, finding)}: {finding.severity}: {words.title(finding)} [{finding.kind}]"
    yield textwrap.indent(words.body(finding), "    ")
    for fix in words.fixes(finding):
        yield f"    fix: {fix}"


def _of_finding(checked: Checked, finding: Finding) -> str:
    file = None if finding.file is None else checked.document.trace.files[finding.file]
    return _place(checked.path if file is None else file.path, finding.line)


def _place(path: str, line: int | None) -> str:
    """The beginning of an output line, without control characters and workflow commands of GitHub."""
    said = printable(path)
    said = f"./{said}" if said.startswith(("::", "##[")) else said
    return said if line is None else f"{said}:{line}"
