"""Compare the trace of every snippet with torch's state after each statement of a run without a recorder.

To add a test case, add a file to `snippets/`.
"""

import json
from pathlib import Path

import pytest

from app.lessons import lessons
from app.trace.check import check
from app.trace.chunks import Folding
from app.trace.codec import decode_chunk
from app.trace.ends import TimedOut
from tests.recordings import answer, chunks, folded
from tests.trace.header import HEADER
from tests.tracer.differential import differences

FILES = sorted((Path(__file__).parent / "snippets").glob("*.py"))
SOURCES = {path.name: path.read_text("utf-8") for path in FILES} | {
    f"{lesson.slug}.py": lesson.snippet.source for lesson in lessons()
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", SOURCES, ids=lambda name: name.split(".")[0])
def test_the_trace_says_what_torch_says(name: str) -> None:
    plain = json.loads(answer(SOURCES[name], "plain"))
    trace = folded(SOURCES[name], chunks(SOURCES[name]))
    found = differences(plain, trace)
    assert not found, "\n".join([f"{name}:", *found])
    check(trace)


@pytest.mark.sweep
@pytest.mark.parametrize("name", SOURCES, ids=lambda name: name.split(".")[0])
def test_a_run_cut_after_any_chunk_is_a_whole_trace(name: str) -> None:
    source = SOURCES[name]
    folding = Folding(source)
    for payload in chunks(source)[:60]:
        folding.add(decode_chunk(payload))
        check(folding.trace(TimedOut(clock="wall", seconds=8.0), HEADER))
