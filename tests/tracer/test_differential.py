"""The trace never says otherwise than torch: every snippet, plain and recorded, statement by statement.

To add a case, add a file to `snippets/`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.lessons import lessons
from app.trace.check import check
from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.ends import Interfered, TimedOut
from tests.trace.generated import HEADER
from tests.tracer.differential import differences

ROOT = Path(__file__).parents[2]
FILES = sorted((Path(__file__).parent / "snippets").glob("*.py"))
SOURCES = {path.name: path.read_text("utf-8") for path in FILES} | {
    f"{lesson.slug}.py": lesson.snippet.source for lesson in lessons()
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two answers per snippet."""
    folder = tmp_path_factory.mktemp("answers")
    for name, source in SOURCES.items():
        (folder / name).write_text(source, encoding="utf-8")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.tracer.differential", how, str(folder), *(str(folder / name) for name in SOURCES)],
            cwd=ROOT,
        )
        for how in ("plain", "recorded")
    ]
    assert [process.wait() for process in running] == [0, 0]
    return folder


@pytest.mark.parametrize("name", SOURCES, ids=lambda name: name.split(".")[0])
def test_the_trace_says_what_torch_says(name: str, answers: Path) -> None:
    plain = json.loads((answers / f"{name}.plain").read_text("utf-8"))
    trace = folded(SOURCES[name], (answers / f"{name}.recorded").read_bytes().splitlines())
    found = differences(plain, trace)
    assert not found, "\n".join([f"{name}:", *found])
    check(trace)


@pytest.mark.parametrize("name", SOURCES, ids=lambda name: name.split(".")[0])
def test_a_run_cut_after_any_chunk_is_a_whole_trace(name: str, answers: Path) -> None:
    source = SOURCES[name]
    folding = Folding(source)
    for payload in (answers / f"{name}.recorded").read_bytes().splitlines()[:60]:
        folding.add(decode_chunk(payload))
        check(folding.trace(TimedOut(clock="wall", seconds=8.0), HEADER))


def folded(source: str, payloads: list[bytes]) -> Trace:
    """The trace that the recorder's chunks make."""
    folding = Folding(source)
    for payload in payloads:
        folding.add(decode_chunk(payload))
    return folding.trace(Interfered(reason="The recorder sent no end."), HEADER)
