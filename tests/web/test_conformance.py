"""Test the server with schemathesis, which generates requests from the OpenAPI description."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.processes import PATIENCE
from tests.web.server import Hosted, hosted
from tests.web.test_openapi import ROUTES

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "allow_header_conformance",
)


@pytest.fixture(scope="module")
def asked_often() -> Iterator[Hosted]:
    """Start a server without rate limits and with short timeouts."""
    with hosted(limits__wall_seconds="1", visitor_burst="1e6", address_burst="1e6") as up:
        yield up


def tried(server: Hosted, folder: Path, seconds: int, *options: str) -> str:
    """Run schemathesis for `seconds`, assert that it finds no failure, and return its output."""
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json", "--no-color"),
        *("--checks", ",".join(CHECKS), "--max-time", str(seconds), "--continue-on-failure", "--report-dir", str(folder)),
    ]
    run = subprocess.run([*command, *options], capture_output=True, text=True, cwd=folder, timeout=seconds + 2 * PATIENCE)
    assert run.returncode == 0, run.stdout + run.stderr
    assert '"bug"' not in server.log.read_text()
    return run.stdout


def test_nothing_that_can_be_asked_is_answered_otherwise(asked_often: Hosted, tmp_path: Path) -> None:
    said = tried(asked_often, tmp_path, 10, "--generation-deterministic")
    assert f"{len(ROUTES)} selected / {len(ROUTES)} total" in said


def test_nor_as_a_stream(asked_often: Hosted, tmp_path: Path) -> None:
    options = ("--generation-deterministic", "--include-path", "/api/v1/traces", "--header", "Accept:text/event-stream")
    assert f"1 selected / {len(ROUTES)} total" in tried(asked_often, tmp_path, 4, *options)


@pytest.mark.long
def test_nothing_in_minutes_at_random(asked_often: Hosted, tmp_path: Path) -> None:
    # One thread, because CPython 3.11 cannot parse in two threads the lambdas that schemathesis inspects.
    tried(asked_often, tmp_path, 180, "--generation-database", "none")
