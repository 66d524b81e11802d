"""`stepgrad check`: exit codes distinguish findings from programs that cannot run, and reports contain relative paths."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Ended, stepgrad
from tests.report.test_sarif import valid
from tests.sandbox.processes import PATIENCE

RIGHT = "import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\n"
WRONG = "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * x).sum()\nx.data.mul_(2)\ny.backward()\n"
RAISES = "import torch\n\nraise ValueError('[here](http://x.example) {0}')\n"


def check(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> Ended:
    return stepgrad("check", *arguments, stdin=stdin, folder=folder, environment=environment)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "empty").mkdir()
    for name, source in (("right", RIGHT), ("wrong", WRONG), ("raises", RAISES)):
        (tmp_path / "src" / f"{name}.py").write_text(source)
    return tmp_path


def test_nothing_wrong_is_0(folder: Path) -> None:
    ended = check(folder, "src/right.py")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1 file, 0 findings, every run finished\n", "")


def test_findings_and_runs_that_raise_are_1_and_an_editor_is_led_to_their_lines(folder: Path) -> None:
    ended = check(folder, "src/right.py", str(folder / "src/wrong.py"), "-", stdin=RAISES)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith(
        "src/wrong.py:4: error: Wrong gradients without an error [silently_wrong_gradient]\n    Line 4"
    )
    assert "\n-:3: Line 3 raised ValueError: [here](http://x.example) {0}\n" in ended.stdout
    assert ended.stdout.endswith("\n3 files, 1 finding, 1 run did not finish\n")


def test_a_folder_is_each_python_file_in_it(folder: Path) -> None:
    for name in (".hidden", "env", "more"):
        (folder / "src" / name).mkdir()
        (folder / "src" / name / "file.py").write_text(WRONG)
    (folder / "src" / "env" / "pyvenv.cfg").touch()
    (folder / "src" / "notes.txt").write_text("no program")
    ended = check(folder, "src", "--format", "json")
    assert (ended.returncode, ended.stderr) == (1, "")
    named = [f"src/{name}.py" for name in ("raises", "right", "wrong", "more/file")]
    assert [file["path"] for file in json.loads(ended.stdout)["files"]] == named
    assert [file["path"] for file in json.loads(check(folder / "src", ".", "--format", "json").stdout)["files"]] == [
        name.removeprefix("src/") for name in named
    ]


def test_in_chinese_as_json(folder: Path) -> None:
    ended = check(folder, "src/wrong.py", "--format", "json", "--language", "zh-CN")
    assert ended.returncode == 1
    (file,) = json.loads(ended.stdout)["files"]
    assert (file["path"], file["end"]["kind"], file["unfinished"]) == ("src/wrong.py", "finished", 0)
    (finding,) = file["findings"]
    assert (finding["kind"], finding["severity"], finding["line"]) == ("silently_wrong_gradient", "error", 4)
    assert [place["line"] for place in finding["places"]] == [4, 3, 5]
    assert "梯度" in finding["title"] and all("x.data" in fix["source"] or "clone" in fix["source"] for fix in finding["fixes"])


def test_sarif_in_a_file_holds_no_link_and_no_path_of_this_machine(folder: Path) -> None:
    ended = check(folder, "src/wrong.py", str(folder / "src/raises.py"), "--format", "sarif", "-o", "out.sarif")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    text = (folder / "out.sarif").read_text()
    assert str(folder) not in text
    (run,) = valid(json.loads(text))["runs"]
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == ["src/wrong.py", "src/raises.py"]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"] == "Line 3 raised ValueError: \\[here](http://x.example) {{0}}"


@pytest.mark.parametrize(
    ("arguments", "environment", "sentence"),
    [
        (("src/right.py", "src/none.py"), {}, "src/none.py cannot be read: No such file or directory."),
        (("empty",), {}, "empty contains no Python file."),
        (("src/right.py",), {"STEPGRAD_LIMITS__SOURCE_BYTES": "9"}, "src/right.py has more than 9 bytes."),
    ],
)
def test_what_could_not_be_checked_is_2(
    folder: Path, arguments: tuple[str, ...], environment: dict[str, str], sentence: str
) -> None:
    ended = check(folder, *arguments, **environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"stepgrad: {sentence}") and ended.stderr.count("\n") == 1


def test_without_bubblewrap_nothing_is_checked(folder: Path) -> None:
    command = [sys.executable, "-m", "app", "check", "src/right.py"]
    environment = {"PYTHONPATH": str(Path(__file__).parents[1]), "PATH": "/nonexistent"}
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("stepgrad: bubblewrap is not installed") and ended.stderr.count("\n") == 1
