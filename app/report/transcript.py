"""A run as plain text: each statement with its description, in the sentences of the page, then the end and the findings."""

import textwrap
from collections.abc import Iterator
from typing import assert_never

from app.explain import Document, Finding
from app.explain.corrected_records import CorrectedGradient, CorrectedGradients, KnownGradients, SameGradients, UnknownGradients
from app.explain.finding import line_of
from app.narration import Message, Teller, Told, message, narrate
from app.narration.folding import folded
from app.narration.values import element, nested
from app.trace.chunks import Trace
from app.trace.index import Index, Line
from app.trace.naming import grad_name
from app.trace.query import END
from app.trace.records import Cells, Contents, Span, Step, Summary, Unknown
from app.words import LANGUAGES
from app.words.printable import printable

MOST_VALUES = 8
"""Number of printed values of a gradient that is too long to be printed completely."""


def transcript(
    document: Document,
    language: str = LANGUAGES[0],
    most_characters: int | None = None,
) -> Iterator[str]:
    """The lines of the text, without line ends: statements in the order in which they ended, the run's end, the findings, and
    the corrected gradients of a silently wrong run.

    The output of a snippet may contain control characters for a terminal, so control characters are escaped. `most_characters`
    limits the statements and, separately, the findings; a sentence reports a cut.
    """
    trace, teller = document.trace, Teller(language)
    if trace.header.stand_in:
        yield teller.say(message("stood-in"))
        yield ""
    yield from story(document, language, most_characters)
    yield from _cut(teller, _all_found(teller, document), most_characters)
    if document.unfinished:
        yield ""
        yield teller.say(message("explained-in-part", count=document.unfinished))
    if document.corrected is not None:
        yield ""
        yield from _corrected(teller, document.corrected, trace)


def story(document: Document, language: str, most_characters: int | None = None) -> Iterator[str]:
    """Only the lines of the statements and of the run's end."""
    trace, teller = document.trace, Teller(language)
    yield from _cut(teller, _statements(teller, trace), most_characters)
    yield teller.say(message(f"end-{trace.ended.__struct_config__.tag}", **document.end_arguments))


def _statements(teller: Teller, trace: Trace) -> Iterator[str]:
    index = Index(trace)
    for step, told in folded(index, narrate(index)):
        if step is not None:
            yield _headline(teller, index, step)
        yield from _indented(teller, told)


def _cut(teller: Teller, lines: Iterator[str], most_characters: int | None) -> Iterator[str]:
    """The lines up to `most_characters`, then a sentence in place of the rest."""
    told = 0
    for line in lines:
        told += len(line) + 1
        if most_characters is not None and told > most_characters:
            yield teller.say(message("transcript-shortened", most=most_characters))
            return
        yield line


def _headline(teller: Teller, index: Index, step: Step) -> str:
    cut = f"   {teller.say(message('transcript-cut'))}" if step.ended is None else ""
    line = index.line_of(step.id)
    if step.span is None or line is None:
        return teller.say(message("transcript-line-unknown")) + cut
    text = index.text_at(step.span.line, step.span.file)  # empty if the line is beyond the recorded lines of a long file
    return teller.say(message("transcript-line", line=line, text=_text(text, step.span) if text else "…")) + cut


def _text(line: str, span: Span) -> str:
    """The first line of a statement with its comment.

    If other statements are on the same line, only the text of this statement.
    """
    end = span.end_column if span.end_line == span.line else len(line)
    before, behind = line[: span.column].strip(), line[end:].strip()
    shares = before not in ("", "case", "else:", "finally:", "try:") or behind.lstrip(":; ").partition("#")[0]
    more = " …" if span.end_line > span.line else ""
    return (line[span.column : end] if shares else line.strip()) + more


def _indented(teller: Teller, told: list[Told]) -> Iterator[str]:
    for each in told:
        yield f"    {teller.say_all(each.sentences)}"
        if each.quoted is not None:
            yield f"        {printable(each.quoted)}"


def _all_found(teller: Teller, document: Document) -> Iterator[str]:
    for finding in document.findings:
        yield ""
        yield from _found(teller, finding, line_of(document, finding) or 0)


def _found(teller: Teller, finding: Finding, line: Line) -> Iterator[str]:
    title = message(f"finding-{finding.kind}-title", **finding.arguments)
    yield teller.say(message("transcript-finding", severity=finding.severity, line=line, title=title))
    body = teller.say(message(f"finding-{finding.kind}", **finding.arguments))
    yield from textwrap.indent(body, "    ").splitlines()
    for fix in finding.fixes:
        offered = message("transcript-fix", title=message(f"fix-{fix.title}", **finding.arguments))
        yield f"    {teller.say(offered)}"


def _corrected(teller: Teller, corrected: CorrectedGradients, trace: Trace) -> Iterator[str]:
    match corrected:
        case KnownGradients():
            yield teller.say(message("right-label", line=Index(trace).line_of(corrected.step) or 0))
            for gradient in corrected.gradients:
                yield f"    {teller.say(_row(gradient))}"
            if any(step.kind == "node" and step.began > (trace.steps[corrected.step].ended or END) for step in trace.steps):
                yield teller.say(message("right-after"))
        case SameGradients():
            yield teller.say(message("right-same"))
        case UnknownGradients():
            yield teller.say(message(f"right-unknown-{corrected.reason}"))
        case _:
            assert_never(corrected)


def _row(gradient: CorrectedGradient) -> Message:
    leaf = gradient.name or f"T{gradient.tensor}"
    name = message("phrase-code", text=grad_name(leaf)) if gradient.is_grad else message("right-of", name=leaf)
    wrong, right = (_values(each, gradient.shape) for each in (gradient.wrong, gradient.right))
    return message("right-row", name=name, wrong=wrong, right=right)


def _values(contents: Contents, shape: list[int]) -> str | Message:
    match contents:
        case Cells(values=values):
            some = [element(value, contents.dtype) for value in values[:MOST_VALUES]] + ["…"] * (len(values) > MOST_VALUES)
            return nested(contents, shape) or f"[{', '.join(some)}]"
        case Summary():
            bounds = {"min": contents.min, "max": contents.max}
            parts = {name: element(bound, contents.dtype) for name, bound in bounds.items()}
            return message("right-summary", **parts, mean=element(contents.mean, "float32"))
        case Unknown():
            return "?"
        case _:
            assert_never(contents)
