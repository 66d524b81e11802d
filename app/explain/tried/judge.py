"""The verdict on a fix: the conditions that its run must meet before the fix is offered."""

from collections import Counter
from typing import Literal

from app.explain.corrected_records import CorrectedGradients, KnownGradients
from app.explain.finding import Document, Finding
from app.explain.tried.before import Beginning
from app.explain.tried.change import Change
from app.explain.tried.gradient_check import are_right
from app.explain.tried.hidden import hidden_line
from app.explain.tried.lost_purpose import is_lost
from app.explain.tried.old_forward import is_of_an_old_forward
from app.trace import ends
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Count, Record, Step

Reason = Literal[
    "",
    "still_found",
    "new_finding",
    "raises",
    "ended",
    "before",
    "lost_write",
    "old_forward",
    "gradients",
    "unfinished",
    "unsteady",
    "gradients_unknown",
    "later",
    "long",
    "busy",
]
"""Why a fix does not work, or was not tried; "" if it works.

fails: still_found: the fix's run has the finding too; new_finding: there is a new warning or error; raises: the fix's run
raises, or does not get past the statement that raised; ended: the fix's run ends differently; before: a value before the
first changed line differs; lost_write: the write has no effect, because it goes to a copy that is not read; old_forward: a
backward uses a forward pass again after its leaves changed; gradients: the leaves' gradients are not the correct ones.

untried: unfinished: not every finder finished on the fix's run; unsteady: the snippet's own run differs each time;
gradients_unknown: the fix changes the backward with known correct gradients; later: three other fixes of the document were
tested first; long: the run takes too long to be repeated without a request; busy: the server had no free slot.
"""


class Verdict(Record, frozen=True, kw_only=True):
    """Whether a fix works, judged by a run of the fix."""

    verdict: Literal["works", "fails", "untried"]
    reason: Reason = ""


class Question(Record, frozen=True, kw_only=True):
    """What a verdict depends on besides the two runs."""

    findings: list[Finding]
    """All findings of the snippet's document."""
    finding: Count
    """The index of the finding that the fix is for."""
    corrected: CorrectedGradients | None = None
    """The correct gradients of the run, if known."""


WORKS = Verdict(verdict="works")


def judge(
    original: Document,
    finding: Finding,
    fixed: Document,
    corrected: CorrectedGradients | None = None,
    again: Trace | None = None,
) -> Verdict:
    """Compares the run of a snippet with the run of a fix for `finding`. Never raises for valid traces (`trace.check`).

    `corrected`: the correct gradients of the run, if known. `again`: a second run of the snippet, which shows differences that
    the fix did not cause.
    """
    change = Change(original.trace.source, fixed.trace.source)
    hidden = hidden_line(fixed.trace, change)
    if (reason := _ended(original.trace, fixed.trace, change, hidden)) is not None:
        return _fails(reason)
    if fixed.unfinished:
        return _untried("unfinished")
    if (reason := _found(original, finding, fixed, change, hidden)) is not None:
        return _fails(reason)
    if original.trace.header.stand_in == fixed.trace.header.stand_in:
        beginning = Beginning(original.trace, fixed.trace, change)
        if (position := beginning.difference()) is not None:
            since = None if again is None else _unlike(original.trace, again)
            is_steady = since is None or since > position
            return _fails("before") if is_steady else _untried("unsteady")
        if is_lost(original.trace, fixed.trace, beginning.removed, beginning.added):
            return _fails("lost_write")
    if finding.kind == "freed_graph" and is_of_an_old_forward(fixed.trace):
        return _fails("old_forward")
    if isinstance(corrected, KnownGradients) and corrected.step in finding.steps:
        is_right = are_right(corrected, original.trace, fixed.trace, change)
        if is_right is None:
            return _untried("gradients_unknown")
        if not is_right:
            return _fails("gradients")
    return WORKS


def _unlike(original: Trace, again: Trace) -> int | None:
    """The first step at which two runs of the unchanged snippet differ; None if they are equal."""
    return Beginning(original, again, Change(again.source, again.source)).difference()


def _fails(reason: Reason) -> Verdict:
    return Verdict(verdict="fails", reason=reason)


def _untried(reason: Reason) -> Verdict:
    return Verdict(verdict="untried", reason=reason)


# --- the end of the run -----------------------------------------------------------------------------------------------


def _ended(original: Trace, fixed: Trace, change: Change, hidden: int | None) -> Reason | None:
    """Why the end of the fix's run counts against the fix; None if it does not.

    `hidden`: the line of a final exception that the fix did not cause.
    """
    ended, wanted = fixed.ended, original.ended
    raised = isinstance(wanted, ends.Raised) or (isinstance(wanted, ends.OutOfMemory) and wanted.raised is not None)
    match ended:
        case ends.Raised() if hidden is not None and raised and _got_past(original, fixed, change):
            is_as_meant = True
        case ends.Raised() | ends.OutOfMemory():
            return "raises"
        case ends.Finished():
            is_as_meant = True
        case ends.Exited():
            is_as_meant = ended == wanted or (raised and ended.code == 0)
        case ends.Stopped() | ends.TimedOut() | ends.OutputTooLarge() | ends.TraceTooLarge():
            is_as_meant = type(ended) is type(wanted) or (raised and _got_past(original, fixed, change))
        case _:  # Cancelled, WorkerStopped, Crashed, Interfered
            is_as_meant = False
    if not is_as_meant:
        return "ended"
    return None if raised or _raises_no_more(original, fixed, change) else "raises"


def _got_past(original: Trace, fixed: Trace, change: Change) -> bool:
    """Whether the statement that raised completed more often in the fix's run.

    If the fix changed that statement, whether more statements ran in the fix's run.
    """
    raised = original.ended.raised if isinstance(original.ended, ends.OutOfMemory) else original.ended
    line = raised.line if isinstance(raised, ends.Raised) else None
    there = change.forward(line)
    before, after = Index(original), Index(fixed)
    if line is None or there is None:
        return len(after.statements) > len(before.statements)
    return _passed(after, there) > _passed(before, line)


def _passed(index: Index, line: int) -> int:
    raising = {
        statement.id for step in index.trace.steps if step.kind == "exception" and (statement := index.statement_of(step.id))
    }
    return sum(
        step.span is not None
        and step.span.line <= line <= step.span.end_line
        and step.ended is not None
        and step.id not in raising
        for step in index.statements
    )


def _raises_no_more(original: Trace, fixed: Trace, change: Change) -> bool:
    """Whether the snippet's run also caught every exception that the fix's run caught."""
    caught = {(step.name, _line(original, step)) for step in original.steps if step.kind == "exception"}
    return all((step.name, change.back(_line(fixed, step))) in caught for step in fixed.steps if step.kind == "exception")


def _line(trace: Trace, step: Step) -> int | None:
    return None if step.span is None else step.span.line


# --- findings ---------------------------------------------------------------------------------------------------------

_Cause = tuple[object, ...]


def _found(original: Document, mended: Finding, fixed: Document, change: Change, hidden: int | None) -> Reason | None:
    """Why the findings of the fix's run are wrong: the finding remains, or there is a new finding. None if neither is the case.

    Findings on line `hidden` do not count.
    """
    told = [each for each in fixed.findings if hidden is None or each.line != hidden]
    left = [each for each in told if each.severity != "hint" or each.kind == mended.kind]
    of_kind = sum(each.kind == mended.kind for each in left)
    if of_kind >= sum(each.kind == mended.kind for each in original.findings):
        return "still_found"
    others = list(original.findings)
    others.remove(mended)
    exact: Counter[_Cause] = Counter(_cause(each, each.line) for each in others)
    about: Counter[_Cause] = Counter((each.kind, each.line) for each in others)
    for each in left:
        line = change.back(each.line)
        if exact[_cause(each, line)]:
            exact[_cause(each, line)] -= 1
        elif _cause(each, line) == _cause(mended, mended.line):
            return "still_found"
        elif not about[each.kind, line]:
            return "new_finding"
        about[each.kind, line] -= 1
    return None


def _cause(finding: Finding, line: int | None) -> _Cause:
    """A key for comparing findings of two runs: the kind, the given line, and the texts in the arguments."""
    words = sorted((name, value) for name, value in finding.arguments.items() if isinstance(value, str))
    return finding.kind, line, *words
