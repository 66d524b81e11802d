"""Test Stepgrad on another Linux release with another version of Python or torch: `make matrix CELL=trixie-2.13`.

The release is installed into a separate root directory, in which the current commit is tested. The result is written into the
table in docs/install.md, and the root is removed. If the tests of the recorder are included, build/ keeps its recordings
(`tests/matrix/recordings.py`).
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.matrix import root as roots
from tests.matrix.cells import CELLS, PARTS, Cell, tried, write

CHECKOUT: Final = Path(__file__).parents[2]
CPU_BUILD: Final = (1, 4)
"""The download size in GB, and the maximum disk space in GB, including temporary files of pip."""
CUDA_BUILD: Final = (4, 9)
"""The same for a CUDA build of torch, which is installed if TORCH_FLAGS is empty."""
_FIRST: Final = "ca-certificates,git,iproute2,make,python3,python3-venv"
_SYSTEM_PACKAGES: Final = ["bubblewrap", "nodejs", "postgresql"]


def main(arguments: list[str]) -> int:
    """Test a release, and update the table. Return 0 if all tests pass."""
    name, chosen = (*arguments, "", "")[:2]
    parts = [part.strip() for part in chosen.split(",") if part.strip()] or list(PARTS)
    refused = refusal(name, parts)
    if refused:
        print(refused, file=sys.stderr)
        return 2
    cell = CELLS[name]
    downloaded, taken = size()
    print(
        f"Building {cell.system.name} with Python {cell.system.python} and torch {cell.torch} in /var/tmp: about"
        f" {downloaded} GB are downloaded, up to {taken} GB of the disk are taken and given back at the end. The commit that is"
        " checked out is tried; what is not committed is left out.",
        flush=True,
    )
    try:
        row, failed = try_out(cell, parts)
    except subprocess.CalledProcessError as error:
        print(f"`{' '.join(error.cmd)}` failed, for the reason above: no row was written.", file=sys.stderr)
        return 1
    write(row)
    print(row)
    return 1 if failed else 0


def try_out(cell: Cell, parts: list[str]) -> tuple[str, int]:
    """Return the row of the table, and the number of failed tests."""
    with roots.folder() as root:
        environment, seen = of_pip()
        commit = build(cell, root)
        set_up(cell, root, environment, seen)
        passed, failed = test(root, parts, environment, seen)
        if "tracer" in parts:
            record(cell, root, environment, seen)
        return cell.row(tried(parts, passed, failed, commit), python_of(root)), failed


def refusal(name: str, parts: list[str]) -> str:
    """Return a sentence if the release cannot be tested on this machine; otherwise ""."""
    if name not in CELLS:
        return f"Name the cell that is to be tried, for example `make matrix CELL=trixie-2.13`; there are {', '.join(CELLS)}."
    if not set(parts) <= set(PARTS):
        return f"PARTS= takes some of these, with commas between them: {', '.join(PARTS)}."
    if os.geteuid() != 0:
        return "A root with another system is made of mounts, so run `make matrix` as root."
    if not shutil.which("debootstrap"):
        return "A root is built by debootstrap, which is not here: run `apt-get install debootstrap` and try again."
    keyring = CELLS[name].system.keyring
    if not _keyring(keyring).exists():
        return f"The archive's signatures are checked with {_keyring(keyring)}, which is not here: install the package that has it."
    free = shutil.disk_usage("/var/tmp").free >> 30
    return f"/var/tmp has {free} GB left, and a root takes up to {size()[1]}: make room there." if free < size()[1] else ""


def size() -> tuple[int, int]:
    """Return the download size and the required disk space in GB."""
    return CPU_BUILD if os.environ.get("TORCH_FLAGS") else CUDA_BUILD


def build(cell: Cell, root: Path) -> str:
    """Install the release and the current checkout. Return the commit."""
    system = cell.system
    script = [] if Path("/usr/share/debootstrap/scripts", cell.suite).exists() else ["/usr/share/debootstrap/scripts/gutsy"]
    mirror = os.environ.get("MIRROR") or system.mirror
    options = [f"--components={system.components}", f"--include={_FIRST}", f"--keyring={_keyring(system.keyring)}"]
    command = ["debootstrap", "--variant=minbase", *options, cell.suite, str(root), mirror, *script]
    roots.alone(command, dict(os.environ))
    settings = _said(["apt-config", "dump"]) if shutil.which("apt-config") else ""
    kept = [line for line in settings.splitlines() if line.startswith("Acquire::") and "IndexTargets" not in line]
    (root / "etc/apt/apt.conf.d/90outside").write_text("\n".join(kept) + "\n", "utf-8")
    for name in ("resolv.conf", "hosts"):
        (root / "etc" / name).unlink(missing_ok=True)
        shutil.copy(Path("/etc", name), root / "etc" / name)
    clone = root / "opt/stepgrad"
    subprocess.run(["git", "clone", "--quiet", "--no-local", str(CHECKOUT), str(clone)], check=True)
    return _said(["git", "rev-parse", "--short=7", "HEAD"], clone)


def set_up(cell: Cell, root: Path, environment: dict[str, str], seen: list[str]) -> None:
    """Install what `make setup-test` installs, except browsers, with the selected version of torch."""
    index, flags = (os.environ.get(name, "") for name in ("TORCH_INDEX", "TORCH_FLAGS"))
    made = ["make", "setup", ".venv/.test.stamp", f"TORCH=torch=={cell.torch}", f"TORCH_INDEX={index}", f"TORCH_FLAGS={flags}"]
    for command in ([".ci/system-packages", *_SYSTEM_PACKAGES], made):
        roots.inside(root, command, environment, seen)


def test(root: Path, parts: list[str], environment: dict[str, str], seen: list[str]) -> tuple[int, int]:
    """Run the tests. Return the numbers of passed and failed tests."""
    result = root / "tmp/result.xml"
    paths = [path for part in parts for path in PARTS[part]]
    pytest = [".venv/bin/python", "-m", "pytest", "-q", "--numprocesses", "auto", "--max-worker-restart", "0"]
    pytest += ["-o", "faulthandler_timeout=300"]
    try:
        roots.inside(root, [*pytest, "--junitxml=/tmp/result.xml", *paths], environment, seen)
    except subprocess.CalledProcessError:
        if not result.exists():
            raise
    roots.inside(root, [".venv/bin/python", "-m", "tests.matrix.starts"], environment, seen)
    suites = ElementTree.parse(result).getroot().iter("testsuite")
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in suites:
        for name in counts:
            counts[name] += int(suite.get(name, "0"))
    failed = counts["failures"] + counts["errors"]
    return counts["tests"] - counts["skipped"] - failed, failed


def record(cell: Cell, root: Path, environment: dict[str, str], seen: list[str]) -> None:
    """Write recordings of the differential programs to build/, to compare them with those of another release."""
    roots.inside(root, [".venv/bin/python", "-m", "tests.matrix.recordings", "/tmp/recordings.json"], environment, seen)
    kept = CHECKOUT / "build" / f"{cell.name}.json"
    kept.parent.mkdir(exist_ok=True)
    shutil.copy(root / "tmp/recordings.json", kept)
    print(f"What it records of each program: {kept}. Compare two cells with `python -m tests.matrix.recordings ONE OTHER`.")


def of_pip() -> tuple[dict[str, str], list[str]]:
    """Return this machine's pip settings as environment variables, and the local files and folders that they refer to."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False).stdout
    values: dict[str, str] = {}
    for line in sorted(listed.splitlines(), key=lambda line: line.startswith(":env:")):  # environment variables take precedence
        key, _, value = line.partition("=")
        values[f"PIP_{key.rpartition('.')[2].replace('-', '_').upper()}"] = ast.literal_eval(value)
    words = [word for value in values.values() for word in value.split()]
    # files that a local package index links to are in the same folder
    words = [word if not word.startswith("file://") else str(Path(word.removeprefix("file://")).parent) for word in words]
    proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    environment = {"HOME": "/root", "LANG": "C.UTF-8", **values, **proxies}
    return environment, [word for word in words if word.startswith("/") and Path(word).exists() and word != "/"]


def python_of(root: Path) -> str:
    """Return the Python version in the root directory."""
    noted = (root / "opt/stepgrad/.venv/pyvenv.cfg").read_text("utf-8")
    return next(line.partition("= ")[2] for line in noted.splitlines() if line.startswith("version = "))


def _keyring(name: str) -> Path:
    return Path("/usr/share/keyrings", f"{name}.gpg")


def _said(command: list[str], folder: Path = CHECKOUT) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
