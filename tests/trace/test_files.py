"""Validate the source files in a trace from an untrusted client: their size and number, and the file ids in records."""

from typing import Any

import msgspec
import pytest

from app.explain import explain
from app.report.transcript import transcript
from app.trace.check import TraceInvalid, check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_trace
from app.trace.ends import Raised, TracebackEntry
from app.trace.records import (
    FORMAT,
    MOST_FILES,
    MOST_TEXT,
    File,
    FileId,
    Frame,
    FrameId,
    Header,
    Limits,
    Output,
    OutputId,
    Span,
    Step,
    StepId,
    Tick,
)
from app.trace.stored import ended_of

HEADER = Header(format=FORMAT, stepgrad="0", python="3", torch="2", device="cpu", seed=0, limits=Limits())


def file(number: int = 0, path: str = "layer.py", text: str = "x = 1\n") -> File:
    return File(id=FileId(number), path=path, text=text, is_followed=True)


def span(number: int | None) -> Span:
    return Span(line=1, column=0, end_line=1, end_column=5, file=None if number is None else FileId(number))


def step(number: int | None) -> Step:
    return Step(id=StepId(0), kind="statement", began=Tick(1), ended=Tick(2), span=span(number))


def trace(**fields: Any) -> Trace:
    return Trace(source="y = 2\n", header=HEADER, **fields)


@pytest.mark.parametrize("path", ["/etc/passwd", "../layer.py", "a/../b.py", "", "a//b.py", "a\nb.py", "./a.py", "a\u202eb.py"])
def test_a_path_that_leads_out_of_its_folder_is_refused(path: str) -> None:
    with pytest.raises(TraceInvalid, match="path"):
        check(trace(files=[file(path=path)]))


@pytest.mark.parametrize(
    "fields",
    [
        {"steps": [step(1)]},
        {"frames": [Frame(id=FrameId(0), function="f", began=Tick(0), line=1, file=FileId(1))]},
        {"outputs": [Output(id=OutputId(0), tick=Tick(0), stream="warning", text="", line=1, file=FileId(1))]},
        {"ended": Raised(type="E", message="", line=1, file=FileId(1))},
        {"ended": Raised(type="E", message="", line=1, traceback=[TracebackEntry(line=1, function="f", file=FileId(1))])},
    ],
)
def test_a_file_that_is_not_there_is_refused(fields: dict[str, Any]) -> None:
    check(trace(files=[file(), file(1, "other.py")], **fields))
    with pytest.raises(TraceInvalid, match="file"):
        check(trace(files=[file()], **fields))


def test_files_and_their_texts_are_bounded() -> None:
    with pytest.raises(TraceInvalid, match="files"):
        check(trace(files=[file(number, f"{number}.py") for number in range(MOST_FILES + 1)]))
    with pytest.raises(TraceInvalid, match="characters"):
        check(trace(files=[file(number, f"{number}.py", "x" * MOST_TEXT) for number in range(17)]))


def test_the_text_and_the_end_name_the_file() -> None:
    run = trace(files=[file()], steps=[step(0)], ended=Raised(type="ValueError", message="no", line=1, file=FileId(0)))
    check(run)
    stored = encode_trace(run)
    assert msgspec.to_builtins(decode_trace(stored)) == msgspec.to_builtins(run)
    assert isinstance(ended_of(stored), Raised)
    told = list(transcript(explain(run)))
    assert told[0] == "line 1 of layer.py: x = 1"
    assert told[1] == "Line 1 of layer.py raised ValueError: no"


def test_a_line_beyond_the_text_that_is_kept_is_told_without_it() -> None:
    run = trace(files=[file(text="")], steps=[step(0)])
    check(run)
    assert next(transcript(explain(run))) == "line 1 of layer.py: …"
