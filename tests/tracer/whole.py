"""Compare the findings for a trace that contains only the executed code with the findings for the complete source text."""

import contextlib
import io
import json
import runpy
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from app.explain import explain
from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from app.tracer import library
from app.tracer.statements.kept_program import Redaction, kept
from app.tracer.statements.source import Source


def compare(program: str) -> None:
    """Run a program that records itself.

    Print the findings for its complete text, the findings for its kept text, and the kept text, as one line of JSON.
    """
    traces: list[Trace] = []

    def seen(trace: Trace, sources: Iterable[Source], entered: int | None, redaction: Redaction) -> Trace:
        sources = list(sources)
        text = next(source.text for source in sources if source.file is None)
        traces.extend((replace(trace, source=text), kept(trace, sources, entered, redaction)))
        return traces[-1]

    vars(library)["kept"] = seen
    with (
        contextlib.suppress(BaseException),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        runpy.run_path(program, run_name="__main__")
    whole, left = traces[-2:]
    check(left)
    assert decode_trace(encode_trace(left)) == left
    print(json.dumps([found_in(whole), found_in(left), left.source]))


def found_in(trace: Trace) -> list[Any]:
    """Return findings without their suggested fixes, which quote the kept text."""
    return [
        [each.kind, each.severity, each.line, each.file, sorted(each.arguments.items()), each.steps]
        for each in explain(trace).findings
    ]
