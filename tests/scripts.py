"""Run scripts in forks of a process that has already imported torch and Stepgrad."""

import multiprocessing
import os
import runpy
import sys
from collections.abc import Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tests import limits

ROOT = Path(__file__).parents[1]
SECONDS = 120
"""The timeout of a script in seconds."""


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    return context


def run(script: Path, path: Sequence[Path] = ()) -> tuple[int, str, str]:
    """Run a script in its folder, with `stepgrad` and `path` importable. Return exit status, stdout and stderr."""
    said = [script.with_suffix(suffix) for suffix in (".stdout", ".stderr")]
    importable = [str(ROOT / "app" / "public"), str(ROOT), *map(str, path)]
    process = _context().Process(
        target=_run, args=(script, importable, said), daemon=True
    )  # a hanging process ends with the tests
    with limits.starting():
        process.start()
    process.join(SECONDS)
    assert process.exitcode is not None, f"{script.name} takes longer than {SECONDS} s"
    return process.exitcode, *(each.read_text() for each in said)  # type: ignore[return-value]


def said_by(folder: Path, source: str) -> str:
    """Run a script with this text, assert that it succeeds, and return its output."""
    (folder / "script.py").write_text(source)
    code, out, errors = run(folder / "script.py")
    assert code == 0, errors
    return out


PYTEST = """
import os
import sys

import pytest

os.environ.pop("PYTEST_ADDOPTS", None)
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
sys.exit(pytest.main(["-p", "app.commands.pytest_plugin", "-p", "no:cacheprovider", *{arguments}]))
"""


def run_pytest(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run pytest with Stepgrad's plugin in a folder. Return exit status, stdout and stderr."""
    (folder / "run_pytest.py").write_text(PYTEST.format(arguments=list(arguments)))
    return run(folder / "run_pytest.py")


COMMAND = """
import os
import sys

from app.__main__ import main
from app.commands import cli

cli.give_up_root = lambda **_: None
os.environ.update({environment})
sys.argv[1:] = {arguments}
sys.exit(main())
"""


def run_command(folder: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run a command of `stepgrad` as root, with additional environment variables. Return exit status, stdout and stderr."""
    (folder / "command.py").write_text(COMMAND.format(arguments=list(arguments), environment=environment))
    return run(folder / "command.py")


def _run(script: Path, path: list[str], said: list[Path]) -> None:
    os.chdir(script.parent)
    for descriptor, file in enumerate(said, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.argv = [str(script)]
    sys.path[:] = [str(script.parent), *path, *sys.path]
    runpy.run_path(str(script), run_name="__main__")
