"""Run a script of tests/js for recorded and explained snippets, and parse its output."""

import subprocess
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from app.explain import explain
from app.explain.corrected.gradients import corrected_gradients, is_asked_for
from tests.explain.recorded import record

SCRIPTS: Final = Path(__file__).parent / "js"

Line = TypeVar("Line")


def reported(
    script: str, sources: dict[str, str], folder: Path, line: type[Line], *arguments: str, with_corrected: bool = False
) -> list[Line]:
    """Return the lines that the script prints, one for each document.

    The documents are written to `folder`, named like their sources. With `with_corrected`, the documents contain corrected
    gradients.
    """
    for name, trace in zip(sources, record([*sources.values()]), strict=True):
        document = explain(trace)
        if with_corrected and is_asked_for(document.findings):
            [preserved], [again] = (record([sources[name]], "preserved", turn=turn) for turn in (1, 2))
            document = msgspec.structs.replace(document, corrected=corrected_gradients(trace, preserved, again))
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(document))
    command = ["node", str(SCRIPTS / script), str(folder), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return [msgspec.json.decode(each, type=line) for each in run.stdout.splitlines()]
