"""Select tests: the ten samples of a sweep contain all its cases, and tests that a change may affect always run."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.dealing import is_whole, needs
from tests.imports import imported
from tests.sampling import ALWAYS, PARTS, ROOT, VARIABLE, Sample, mark, read, some

FILE = "tests/explain/test_real.py"


def item(case: str, *, file: str = FILE, is_sweep: bool = True) -> Any:
    marks = [pytest.mark.sweep.mark] if is_sweep else []
    return SimpleNamespace(
        path=ROOT / file,
        nodeid=f"{file}::test_snippet[{case}]",
        get_closest_marker=lambda _: marks[-1] if marks else None,
        add_marker=lambda marker: marks.append(marker.mark),
    )


def sample(part: int, *changed: str) -> Sample:
    return Sample(part=part, commit="0", changed=frozenset(changed))


def test_each_case_is_in_one_tenth() -> None:
    for number in range(200):
        assert sum(sample(part).has(item(f"case-{number}")) for part in range(PARTS)) == 1
    sizes = [sum(sample(part).has(item(f"case-{number}")) for number in range(1000)) for part in range(PARTS)]
    assert min(sizes) > 50


def test_a_test_that_is_no_sweep_always_runs() -> None:
    assert all(sample(part).has(item("case", is_sweep=False)) for part in range(PARTS))


@pytest.mark.parametrize(
    "changed", [FILE, "tests/trace/header.py", "app/explain/findings/effect.py", "tests/explain/snippets/the-case.py.txt"]
)
def test_what_a_change_concerns_runs_in_every_tenth(changed: str) -> None:
    assert all(sample(part, changed).has(item("the-case")) for part in range(PARTS))
    assert not all(sample(part, "static/js/run/facts.js").has(item("the-case")) for part in range(PARTS))


CAMERA = "tests/browser/test_camera.py"
FAULTS = "tests/fleet/test_faults.py"


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        (CAMERA, "static/css/panes.css"),
        (CAMERA, "app/web/share.py"),
        (CAMERA, "tests/browser/page.py"),
        (CAMERA, "tests/web/server.py"),
        (FAULTS, "app/fleet/engine.py"),
    ],
)
def test_a_folder_that_starts_servers_runs_where_a_change_concerns_it(file: str, changed: str) -> None:
    items = [item(f"case-{number}", file=file, is_sweep=False) for number in range(40)]
    mark(items)
    for part in range(PARTS):
        assert all(sample(part, changed).has(each) for each in items)
    counts = [sum(sample(part, "app/report/sarif.py").has(each) for each in items) for part in range(PARTS)]
    assert sum(counts) == len(items)
    # Tests that share a server run together. Other tests are selected individually.
    assert (max(counts) == len(items)) == is_whole(file)


@pytest.mark.parametrize("file", ALWAYS)
def test_the_whole_way_always_runs(file: str) -> None:
    assert (ROOT / file).exists()
    journey = item("case", file=file, is_sweep=False)
    mark([journey])
    assert all(sample(part).has(journey) for part in range(PARTS))


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("tests/web/test_links.py", "app/web/share.py"),
        ("tests/web/test_links.py", "app/rooms/room.py"),
        ("tests/web/test_links.py", "templates/page.html"),
        ("tests/tracer/adapter/test_streams.py", "app/tracer/entry.py"),
        ("tests/tracer/test_names.py", "app/trace/codec.py"),
        ("tests/tracer/test_names.py", "requirements-torch.txt"),
    ],
)
def test_what_runs_behind_a_test_concerns_it(file: str, changed: str) -> None:
    case = item("case", file=file, is_sweep=False)
    mark([case])
    assert all(sample(part, changed).has(case) for part in range(PARTS))
    assert sum(sample(part, "static/css/page.css").has(case) for part in range(PARTS)) == 1


def test_a_page_of_documentation_concerns_no_sweep() -> None:
    assert read("app/web/README.md\nstatic/css/page.css\n\nCONTRIBUTING.md\n") == {"static/css/page.css"}


def test_what_starts_the_same_goes_to_one_process() -> None:
    server = {"tests/web/server.py"}
    assert needs("tests/web/test_runs.py") == needs("tests/web/test_links.py") == server
    assert needs(FILE) == {"tests/recordings.py"} and needs("tests/test_sampling.py") == set()
    assert needs(f"{CAMERA}::test_it") == {"tests/browser/"}, "a server stands in its own conftest.py"


def test_helpers_of_helpers_are_imported() -> None:
    assert {FILE, "tests/explain/recorded.py", "tests/recordings.py", "app/explain/__init__.py"} <= imported(FILE)


DIES = """
import os

import msgspec
import pytest

@pytest.mark.parametrize("number", range(40))
def test_it(number):
    if number == 20:
        os.kill(os.getpid(), 9)
"""


def test_a_process_that_dies_fails_the_run_and_ends_it(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"test_{number}.py").write_text(DIES)
    (tmp_path / "conftest.py").write_text(
        "from tests.dealing import Dealing\ndef pytest_xdist_make_scheduler(config, log):\n    return Dealing(config, log)\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "xdist",
        "-c",
        os.devnull,
        "--numprocesses",
        "2",
        "--max-worker-restart",
        "0",
        str(tmp_path),
    ]
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE and not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "crashed while running" in run.stdout


@pytest.mark.parametrize(
    ("changed", "least", "most"), [("static/js/layout/measures.js", 200, 200), ("static/css/page.css", 5, 60)]
)
def test_a_changed_folder_runs_all_cases_of_a_loop(
    monkeypatch: pytest.MonkeyPatch, changed: str, least: int, most: int
) -> None:
    cases = {str(number): number for number in range(200)}
    monkeypatch.setenv(VARIABLE, msgspec.json.encode(sample(3, changed)).decode())
    assert least <= len(some(str(ROOT / "tests/test_texts.py"), cases, "static/js/")) <= most
