"""Compare the pictures of eighteen programs with stored golden files. `make goldens` updates the files."""

import difflib

import pytest

from tests.browser.conftest import Visit
from tests.browser.golden import DRAWN, FOLDER, MODELS, PROGRAMS, draw


def test_there_is_a_golden_for_each_program_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(PROGRAMS)
    assert {path.stem for path in FOLDER.glob("*.py")} == {name for name, program in PROGRAMS.items() if not program.address}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if name in MODELS else ()) for name in PROGRAMS])
def test_the_picture_is_the_golden(visit: Visit, name: str) -> None:
    drawn, golden = draw(visit(), name), (FOLDER / f"{name}.svg").read_text("utf-8")
    if drawn != golden:
        DRAWN.mkdir(parents=True, exist_ok=True)
        changed = DRAWN / f"{name}-changed.svg"
        changed.write_text(drawn, "utf-8")
        lines = list(difflib.unified_diff(golden.splitlines(), drawn.splitlines(), "golden", "drawn", n=1, lineterm=""))
        pytest.fail("\n".join([f"{changed} differs from the golden in {len(lines)} lines:", *lines[:40]]), pytrace=False)
