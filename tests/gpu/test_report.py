"""The report of the GPU tests, for modules that fail in every way and for a machine without a GPU."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu import runs
from tests.gpu.__main__ import PARTS, ROOT, run_part
from tests.gpu.endings import hangs
from tests.gpu.machine import Machine
from tests.gpu.report import Answers, Outcome, Report, conclusion, judged, refused, status, table, told
from tests.sandbox.processes import until_gone

ENDINGS = "tests.gpu.endings."


def report_on(ending: str, seconds: float = 60.0) -> Report:
    return judged(ending, run_part(ENDINGS + ending, "cpu", seconds), 1.0, None)


def test_one_that_fails_says_what_was_seen_and_goes_on() -> None:
    report = report_on("fails")
    assert (report.outcome, report.held, report.tried, report.left_out) == (Outcome.FAILED, 1, 3, 1)
    assert report.why == "fails: 2 is not 3; left out: 1, which need CUDA"
    assert "fails: 2 is not 3\nand 3 is not 2" in told([report]) and "stumbles: KeyError: 'x'" in told([report])


def test_nothing_is_left_out_on_a_device() -> None:
    answers = run_part(ENDINGS + "fails", "cuda", 60.0)
    assert not answers.left_out and len(answers.failures) == 4


def test_one_that_dies_has_failed_with_what_it_never_reached() -> None:
    report = report_on("dies")
    assert (report.outcome, report.held, report.tried) == (Outcome.FAILED, 1, 3)
    assert report.why == "its process was ended by SIGSEGV; 2 not reached, from 'dies' on"


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        ("lacks", "no sandbox can be built here: there is no bubblewrap"),
        ("imports", "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
def test_one_that_lacks_something_could_not_run(ending: str, why: str) -> None:
    report = report_on(ending)
    assert (report.outcome, report.held, report.why) == (Outcome.COULD_NOT_RUN, 0, why)


def test_one_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "pid"
    monkeypatch.setenv(hangs.PLACE, str(place))
    for seconds in (1.0, 8.0, 64.0):
        report = report_on("hangs", seconds)
        if place.exists() and place.read_text():
            break
    assert report.outcome is Outcome.FAILED and (report.held, report.tried) == (1, 2)
    assert "seconds; 1 not reached, from 'hangs' on" in report.why
    asyncio.run(until_gone({int(place.read_text())}))


@pytest.mark.parametrize(
    ("answers", "unsupported", "outcome"),
    [
        (Answers(names=("a",), failures={"a": None}), None, Outcome.PASSED),
        (Answers(names=("a",), failures={"a": None}), "torch 2.11, not supported", Outcome.EXPERIMENT),
        (Answers(names=("a",), failures={"a": "no"}), "torch 2.11, not supported", Outcome.FAILED),
        (Answers(names=("a",), left_out={"a": "the CPU has none"}), None, Outcome.COULD_NOT_RUN),
        (Answers(names=("a", "b"), failures={"a": None}), None, Outcome.FAILED),
        (Answers(names=("a",), failures={"a": None}, broken="its process ended with status 1"), None, Outcome.FAILED),
        (Answers(names=("a",), missing="no sandbox"), None, Outcome.COULD_NOT_RUN),
        (Answers(), None, Outcome.FAILED),
    ],
)
def test_only_what_was_tried_whole_on_a_supported_torch_has_passed(
    answers: Answers, unsupported: str | None, outcome: Outcome
) -> None:
    report = judged("part", answers, 1.0, unsupported)
    assert report.outcome is outcome
    assert unsupported is None or unsupported in report.why
    assert (status([report]) == 0) == (outcome is Outcome.PASSED)


def test_no_part_makes_up_for_another() -> None:
    passed = Report(part="one", outcome=Outcome.PASSED, held=2, tried=2, seconds=3.25)
    assert status([passed]) == 0 and status([]) == 1
    assert status([passed, refused("two", "no sandbox")]) == 1
    assert table([passed, refused("two", "no sandbox")]).splitlines() == [
        "part  outcome        count  seconds  why",
        "one   passed           2/2      3.2",
        "two   could not run      -      0.0  no sandbox",
    ]
    assert conclusion([passed, refused("two", "no sandbox")], "cuda", None) == "Of 2 parts: 1 passed, 1 could not run."


@pytest.mark.parametrize(("torch", "said"), [("2.11.0+cu130", "torch 2.11, not supported"), ("2.15.0", None), (None, None)])
def test_a_torch_that_is_not_recorded_is_named(torch: str | None, said: str | None) -> None:
    assert Machine(torch=torch, cuda=None, device=None, no_device=None).unsupported == said


def test_where_no_device_answers_each_part_says_so_and_the_end_is_one_sentence() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.gpu"],
        cwd=ROOT,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1 and ended.stderr == ""
    lines = ended.stdout.splitlines()
    rows = [line for line in lines if "could not run" in line and line.endswith("no CUDA device answers")]
    assert [row.split("  ")[0] for row in rows] == list(PARTS)
    assert lines[-1].startswith("Nothing was tried, because no CUDA device answers: ")


def test_every_snippet_belongs_to_a_part_and_says_what_it_needs() -> None:
    themes = sorted(path.name for path in runs.SNIPPETS.iterdir())
    assert set(themes) <= set(PARTS.values())
    for theme in themes:
        assert any(program.needs_cuda is None for program in runs.programs(theme)), f"nothing of {theme} is tried without CUDA"
        for program in runs.programs(theme):
            assert '"cuda"' in program.source and "import torch\n" in program.source, program.name
