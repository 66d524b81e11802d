"""Run `stepgrad check` on files with typical mistakes: the exit code is correct, and the SARIF report is valid."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from app.explain import explain
from app.report import Checked, has_failed
from tests.explain.test_cases import CASES, SNIPPETS, recordings
from tests.report.test_sarif import valid
from tests.test_checking import check


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with the files."""
    folder = tmp_path_factory.mktemp("cases")
    for name, path in SNIPPETS.items():
        shutil.copyfile(path, folder / f"{name}.py")
    return folder


def fails(name: str) -> bool:
    """Whether a program does not finish, or has a warning or an error. Hints do not count."""
    return has_failed([Checked(name, explain(recordings()[name]))])


def lines_of(result: dict[str, Any]) -> set[int]:
    """Return all lines to which a SARIF result refers."""
    places = [*result["locations"], *result.get("relatedLocations", [])]
    return {place["physicalLocation"]["region"]["startLine"] for place in places}


def test_there_are_all_of_them() -> None:
    assert len({re.sub(r"[a-z]$", "", name) for name in SNIPPETS}) >= 48


def test_all_files_in_one_report(folder: Path) -> None:
    ended = check(folder, *(f"{name}.py" for name in SNIPPETS), "--format", "sarif", "-o", "all.sarif")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    text = (folder / "all.sarif").read_text()
    assert str(folder) not in text and sys.prefix not in text
    (run,) = valid(json.loads(text))["runs"]
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == [f"{name}.py" for name in SNIPPETS]
    found: dict[str, list[tuple[str, set[int]]]] = {name: [] for name in SNIPPETS}
    for result in run["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        found[uri.removesuffix(".py")].append((result["ruleId"], lines_of(result)))
        assert result["partialFingerprints"]
    for name, results in found.items():
        expected = [each.split() for each in CASES.get(name, ("", ""))[0].split(", ") if each]
        assert [kind for kind, _ in results] == [kind for kind, *_ in expected], name
        for (_, lines), (_, *steps) in zip(results, expected, strict=True):
            assert set(map(int, steps)) <= lines, name
    told = run["invocations"][0]["toolExecutionNotifications"]
    unfinished = [name for name in SNIPPETS if not Checked(name, explain(recordings()[name])).is_finished]
    named = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in told]
    assert named == [f"{name}.py" for name in unfinished]


def test_the_right_ones_are_0(folder: Path) -> None:
    right = [name for name in SNIPPETS if not fails(name)]
    ended = check(folder, *(f"{name}.py" for name in right))
    assert (ended.returncode, ended.stderr) == (0, "") and len(right) > 15
    assert ended.stdout.splitlines()[-1].startswith(f"{len(right)} files, ")
    assert ended.stdout.endswith(", every run finished\n")


@pytest.mark.long
@pytest.mark.parametrize("name", SNIPPETS)
def test_each_alone_has_its_exit_code_and_a_valid_report(folder: Path, name: str) -> None:
    ended = check(folder, f"{name}.py", "--format", "sarif")
    assert (ended.returncode, ended.stderr) == (int(fails(name)), "")
    valid(json.loads(ended.stdout))
