"""A standalone recording file works in Firefox without a network and without browser automation."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.standalone import standalone
from tests.browser import firefox
from tests.browser.test_standalone import beside, document_of
from tests.sandbox.processes import PATIENCE

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SOURCE = """import torch
model = torch.nn.LSTM(2, 2)
x = torch.randn(12, 1, 2)
for round in range(12):
    y, _ = model(x)
    y.sum().backward()
"""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return document_of(SOURCE, tmp_path_factory.mktemp("document"))


def opened(path: Path, term: str) -> Any:
    """Open a file in Firefox within a network namespace that has no connections. Return the report of tests/js/firefox.mjs."""
    if left_out := firefox.why_left_out():
        pytest.skip(left_out)
    profile = path.parent / "profile"
    profile.mkdir()
    inside = ["bwrap", "--unshare-net", "--dev-bind", "/", "/", "--setenv", "HOME", str(path.parent), "--die-with-parent"]
    words = [firefox.NAME, str(profile), path.as_uri(), term]
    command = [*inside, "--", "node", str(ROOT / "tests/js/firefox.mjs"), *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE)
    assert ended.returncode == 0, ended.stderr
    shutil.rmtree(profile)
    return json.loads(ended.stdout)


def test_it_steps_searches_folds_and_speaks_both_languages(document: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    path.write_bytes(standalone(document, "Twelve rounds", "en"))
    (tmp_path / "beside.txt").write_text("what lies beside it")
    told = opened(path, "SumBackward0")
    assert told["version"].startswith("firefox/")
    assert re.fullmatch(r"Step \d+", told["opened"]) and "model" in told["sentence"]
    unfolded, folded = told["pressed"]
    assert unfolded > folded == 0
    assert re.fullmatch(r"1 of \d+", told["found"])
    assert "步" in told["heading"]
    assert told["beside"] == "refused", "as a visitor's Firefox has it"
    others = [url for url in told["asked"] if not url.startswith(("file://", "data:font/")) and url != "about:blank"]
    assert others == []
    told["complaints"] = [said for said in told["complaints"] if "beside.txt" not in said and "connect-src" not in said]
    assert told["complaints"] == []


def test_a_file_with_a_module_beside_it_is_blank(document: bytes, tmp_path: Path) -> None:
    """Verifies that the other tests can fail: Firefox refuses to load a module script from a second file."""
    told = opened(beside(document, tmp_path), "")
    assert told["shown"] == 0 and told["says"] == "Stepgrad"
