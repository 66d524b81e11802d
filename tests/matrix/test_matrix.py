"""The table in docs/install.md has a row for each combination of a Linux release and torch. Temporary roots are always
removed.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.matrix.__main__ import refusal
from tests.matrix.cells import CELLS, PAGE, PARTS, Cell, rows, tried, write
from tests.matrix.recordings import differences, recorded, tables, whole
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]


def test_every_cell_has_a_row_that_says_what_was_tried() -> None:
    found = rows(PAGE.read_text("utf-8"))
    assert [*found] == [*CELLS]
    for name, row in found.items():
        cell = CELLS[name]
        python = re.escape(cell.system.python) + r"(\.\d+\w*)?"
        said = r"not tried|(tried|partly \([a-z, ]+\)): ([\d,]+ pass|[\d,]+ of [\d,]+ fail), `[0-9a-f]{7,}`"
        assert re.fullmatch(rf"\| `{name}` \| {cell.system.name} \| {python} \| {cell.torch} \| ({said}) \|", row), row
        assert len(row) <= 120


def test_a_row_is_written_in_its_place(tmp_path: Path) -> None:
    copy = tmp_path / "install.md"
    copy.write_text(PAGE.read_text("utf-8"), "utf-8")
    cell = Cell(suite="forky", torch="2.13.0")
    row = cell.row(tried(["tracer", "explain"], 3001, 0, "0123abc"), "3.14.2")
    assert row == "| `forky-2.13` | Debian forky | 3.14.2 | 2.13.0 | partly (tracer, explain): 3,001 pass, `0123abc` |"
    write(row, copy)
    before, after = rows(PAGE.read_text("utf-8")), rows(copy.read_text("utf-8"))
    assert after == {**before, "forky-2.13": row} and [*after] == [*before]
    assert tried([*PARTS], 10, 2, "0123abc") == "tried: 2 of 12 fail, `0123abc`"
    assert tried([part for part in PARTS if part != "web"], 10, 0, "0123abc") == "partly (all but web): 10 pass, `0123abc`"


def test_what_cannot_be_begun_is_refused_with_one_sentence() -> None:
    for arguments in ([], ["sid"]):
        command = [sys.executable, "-m", "tests.matrix", *arguments]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert (ended.returncode, ended.stdout) == (2, "") and all(name in ended.stderr for name in CELLS)
    assert "PARTS=" in refusal("trixie-2.13", ["browser"])


PROGRAMS = {
    "a product": "import torch\nw = torch.ones(2, requires_grad=True)\n(w * {}).sum().backward()\nprint({{'a', 'b', 'c', 'd'}})\n",
    "an end": "def f(): return object()\nprint(f())\n1 / 0\n",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
}


def test_two_recordings_of_a_program_are_compared_by_what_torch_did() -> None:
    once = recorded({name: source.format(2) for name, source in PROGRAMS.items()}, tables)
    assert differences(once, recorded({name: source.format(2) for name, source in PROGRAMS.items()}, tables)) == {}
    found = differences(once, recorded({name: source.format(3) for name, source in PROGRAMS.items()}, tables))
    assert [*found] == ["a product"]
    # The graph, the writes and the lines are equal, but some numbers differ.
    assert {"gradients", "storages"} <= found["a product"].keys() <= {"gradients", "storages", "variables"}
    assert "[2.0, 2.0]" in found["a product"]["gradients"][0] and "[3.0, 3.0]" in found["a product"]["gradients"][1]
    assert once["killed"] == {"end": ["killed, status 9"]}
    assert differences(once, {"an end": once["an end"]})["a product"]["end"] == (once["a product"]["end"][0], "nothing")


def test_two_revisions_are_compared_by_every_record() -> None:
    programs = {"an end": PROGRAMS["an end"]}
    once = recorded(programs, whole)
    assert differences(once, recorded(programs, whole)) == {}
    # An additional statement increases all later ticks by one. Lines and ends are the same.
    later = {"an end": PROGRAMS["an end"].replace("1 / 0", "pass; 1 / 0")}
    assert "steps" in differences(once, recorded(later, whole))["an end"]
    assert "outputs" not in differences(once, recorded(later, whole))["an end"]


IN_A_ROOT = """
import signal
from tests.matrix.root import folder, inside
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal; background jobs of a shell ignore SIGINT
with folder() as root:
    for name in ("dev", "sys", "proc", "opt/stepgrad"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    print(root.parent, flush=True)
    tries = "echo $$; ls /; touch /usr/made; unshare --user true || echo chroot; sleep 100 & touch /waits; wait"
    inside(root, ["sh", "-c", tries], {}, ["/usr"])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a root is made of mounts")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_root_that_is_interrupted_is_gone_and_the_machine_as_it_was(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_A_ROOT]
    said = tmp_path / "stderr"
    with (
        said.open("w") as stderr,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        assert process.stdout is not None
        made = Path(process.stdout.readline().strip())
        assert process.stdout.readline() == "1\n", "it has a pid namespace of its own"
        wait_until(lambda: process.poll() is not None or (made / "root/waits").exists())
        assert process.poll() is None
        process.send_signal(number)
        listed = process.stdout.read()  # communicate() would lose what readline() has buffered
    assert process.returncode != 0 and not made.exists()
    assert listed.split() == ["bin", "dev", "lib", "lib64", "opt", "proc", "sbin", "sys", "usr"]
    assert "/usr/made': Read-only file system" in said.read_text()
    assert Path("/usr/bin/env").exists() and str(made) not in Path("/proc/self/mountinfo").read_text()
