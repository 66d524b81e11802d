"""The pytest plugin.

`--stepgrad` records each test and saves replays of failing tests. The fixture `stepgrad_record` records a block of a test.
`--stepgrad-guard` runs each test under `stepgrad.guard()`, so a finding fails the test.

pytest loads this plugin if Stepgrad is installed, so slow imports happen only on use.
"""

import hashlib
import re
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any, Final

import pytest

FOLDER: Final = "stepgrad-failures"
"""The folder of replays, in pytest's root directory."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    help_text = (
        "record what each test does with torch, in this process and without a sandbox, and write an HTML file that replays each "
        f"failing test to {FOLDER}/"
    )
    group = parser.getgroup("stepgrad")
    group.addoption("--stepgrad", action="store_true", help=help_text)
    help_text = "fail a test if a saved tensor, a checkpoint or a gradient is wrong: each runs under stepgrad.guard()"
    group.addoption("--stepgrad-guard", action="store_true", help=help_text)


@pytest.fixture
def stepgrad_record() -> Callable[..., AbstractContextManager[Any]]:
    """`stepgrad.record`, which records a block of a test, in this process and without a sandbox."""
    record: Callable[..., AbstractContextManager[Any]] = import_module("stepgrad").record
    return record


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Guard a test if `--stepgrad-guard` is set, and record it if `--stepgrad` is set. A recording does not change the outcome
    of the test."""
    if not pyfuncitem.config.getoption("--stepgrad-guard"):
        return (yield from _recorded(pyfuncitem))
    with import_module("stepgrad").guard():
        return (yield from _recorded(pyfuncitem))


def _recorded(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    code = getattr(pyfuncitem.obj, "__code__", None)
    if not pyfuncitem.config.getoption("--stepgrad") or not isinstance(code, CodeType):
        return (yield)
    record_calls = import_module("stepgrad.recorded").record_calls
    recording = None
    try:
        with record_calls(code, folder=str(pyfuncitem.config.rootpath)) as recording:
            return (yield)
    except (Exception, pytest.fail.Exception):
        if recording is not None and recording.trace.tensors and not pyfuncitem.get_closest_marker("xfail"):
            path = _path(pyfuncitem)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(recording.html(pyfuncitem.name))
            pyfuncitem.add_report_section("call", "stepgrad", f"What torch did, step by step: {path}\n")
        raise


def _path(item: pytest.Item) -> Path:
    """Return the path of the replay of a test.

    The file name has portable characters of the test's name, and a prefix of the name's hash for uniqueness.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-")[-120:]
    return item.config.rootpath / FOLDER / f"{name}-{hashlib.sha256(item.nodeid.encode()).hexdigest()[:8]}.html"
