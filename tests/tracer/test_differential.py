"""The trace never says otherwise than torch: every snippet, plain and recorded, statement by statement.

To add a case, add a file to `snippets/`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.trace.check import check
from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.ends import Interfered, TimedOut
from tests.trace.generated import HEADER
from tests.tracer.differential import differences

ROOT = Path(__file__).parents[2]
FILES = sorted((Path(__file__).parent / "snippets").glob("*.py"))
LESSONS = sorted((ROOT / "app/lessons").rglob("*.py.txt"))
SNIPPETS = [*FILES, *LESSONS]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two answers per snippet."""
    folder = tmp_path_factory.mktemp("answers")
    running = [
        subprocess.Popen([sys.executable, "-m", "tests.tracer.differential", how, str(folder), *map(str, SNIPPETS)], cwd=ROOT)
        for how in ("plain", "recorded")
    ]
    assert [process.wait() for process in running] == [0, 0]
    return folder


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name.split(".")[0])
def test_the_trace_says_what_torch_says(snippet: Path, answers: Path) -> None:
    plain = json.loads((answers / f"{snippet.name}.plain").read_text("utf-8"))
    trace = folded(snippet.read_text("utf-8"), (answers / f"{snippet.name}.recorded").read_bytes().splitlines())
    found = differences(plain, trace)
    assert not found, "\n".join([f"{snippet.name}:", *found])
    check(trace)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name.split(".")[0])
def test_a_run_cut_after_any_chunk_is_a_whole_trace(snippet: Path, answers: Path) -> None:
    source = snippet.read_text("utf-8")
    folding = Folding(source)
    for payload in (answers / f"{snippet.name}.recorded").read_bytes().splitlines()[:60]:
        folding.add(decode_chunk(payload))
        check(folding.trace(TimedOut(clock="wall", seconds=8.0), HEADER))


def folded(source: str, payloads: list[bytes]) -> Trace:
    """The trace that the recorder's chunks make."""
    folding = Folding(source)
    for payload in payloads:
        folding.add(decode_chunk(payload))
    return folding.trace(Interfered(reason="The recorder sent no end."), HEADER)
