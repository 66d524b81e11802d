"""Runs a script of tests/js over snippets that were recorded and explained, and reads its report."""

import subprocess
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from app.explain import explain
from tests.explain.recorded import record

SCRIPTS: Final = Path(__file__).parent / "js"

Line = TypeVar("Line")


def reported(script: str, sources: dict[str, str], folder: Path, line: type[Line], *arguments: str) -> list[Line]:
    """The lines that the script prints, one for each document; `folder` gets the documents, under the names of their sources."""
    for name, trace in zip(sources, record([*sources.values()]), strict=True):
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(explain(trace)))
    command = ["node", str(SCRIPTS / script), str(folder), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return [msgspec.json.decode(each, type=line) for each in run.stdout.splitlines()]
