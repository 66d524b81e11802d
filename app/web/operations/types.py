"""Generates TypeScript types for the page's scripts: `python -m app.web.operations.types > static/js/run/trace.d.ts`."""

from app.explain.corrected_records import CorrectedGradients, KnownGradients, SameGradients, UnknownGradients
from app.explain.finding import Document, Severity
from app.trace.typescript import TRACE_ALIASES, TRACE_ROOTS, declarations


def page_types() -> str:
    """The content of `static/js/run/trace.d.ts`: the type of a document, and all types that this type refers to."""
    aliases = {**TRACE_ALIASES, "Severity": Severity, "CorrectedGradients": CorrectedGradients}
    answers = (KnownGradients, SameGradients, UnknownGradients)
    return declarations((Document, *answers, *TRACE_ROOTS), aliases, "python -m app.web.operations.types")


if __name__ == "__main__":
    print(page_types(), end="")
