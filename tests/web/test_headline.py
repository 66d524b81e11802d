"""The server and the page derive the same title from a program without a title."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from app.web.links.headline import MOST, headline

ROOT = Path(__file__).parents[2]
CASES = {
    "import torch\n# Why is the gradient wrong?\nx = 1\n": "Why is the gradient wrong?",
    '"""Dead ReLUs.\n\nMore.\n"""\nimport torch\n': "Dead ReLUs.",
    "#!/usr/bin/env python\n# type: ignore\nimport torch\nclass Basic(nn.Module):\n    pass\nclass Net(Basic):\n    pass\n": "Net",
    "import torch\ntorch.manual_seed(0)\nw = torch.ones(3)  # ones\n": "w = torch.ones(3)",
    "# --------\n# 梯度消失\n": "梯度消失",
    "x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)\n": "x = torch.tensor([0.0, 1.0, 4.0], requi…",
    f'"An answer{" " * 50_000}b': "An answer",
    "": "",
    "import torch\n": "",
}
ASK = """
import { headline } from "./static/js/words/headline.js";
import { readFileSync } from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((source) => headline(source, ""))));
"""


@pytest.mark.parametrize("source", CASES)
def test_a_program_is_called_by_its_first_meaningful_words(source: str) -> None:
    assert headline(source) == CASES[source]


def test_the_page_calls_a_program_as_the_server_does() -> None:
    programs = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/corpus/programs").glob("*.py"))]
    sources = [*CASES, *programs]
    command = ["node", "--input-type=module", "--eval", ASK]
    answer = subprocess.run(command, cwd=ROOT, input=msgspec.json.encode(sources), capture_output=True, check=True, timeout=60)
    assert msgspec.json.decode(answer.stdout) == [headline(source) for source in sources]
    assert all(len(headline(source)) <= MOST for source in sources)
