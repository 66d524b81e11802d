"""Run a notebook in a real kernel: `%%stepgrad` executes cells as usual, and shows a recording below each."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
CELLS = [
    "%load_ext stepgrad\nimport torch",
    "%%stepgrad\nx = torch.ones(3, requires_grad=True)\ny = (x * x).sum()\nx.data.mul_(2)\ny.backward()",
    "%%stepgrad\nprint(x.grad.tolist())\nz = x.detach()",
    "import stepgrad\nwith stepgrad.record() as kept:\n    w = torch.ones(2, requires_grad=True)\n    w.sum().backward()\nkept",
    "%%stepgrad\nt = x + 1\n1 / 0",
    "def twice(v):\n    return v * 2\nclass Net(torch.nn.Module):\n    def forward(self, v):\n        return twice(v) + 1",
    "%%stepgrad\ndef thrice(v):\n    return v * 3\na = thrice(Net()(x))",
    "with stepgrad.record() as later:\n    thrice(twice(x))\n"
    "for each in (_7, later):\n    print([file.path for file in each.trace.files if file.is_followed])\n"
    "    print(sum(step.kind == 'statement' and step.span.file is not None for step in each.trace.steps))",
    "print(sorted({each.path for each in _5.trace.names} | {each.name for each in _5.trace.variables}))",
    'api_key = "secret-variable"\ndef fourfold(v):\n    return v * 4\ndef login():\n    return "secret-function"  # secret-line',
    "%%stepgrad\nb = fourfold(x)",
    "with stepgrad.record() as block:\n    b = fourfold(x)\nblock",
    "%%stepgrad --bogus\nc = x",
]


@pytest.fixture(scope="module")
def outputs() -> list[list[nbformat.NotebookNode]]:
    """Return the output of each cell."""
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for cell in CELLS
    ]
    notebook = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})  # type: ignore[no-untyped-call]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "app/public")])
    NotebookClient(
        notebook,
        timeout=None,
        allow_error_names=["UsageError"],
        kernel_name="python3",
        extra_arguments=[],
        resources={"metadata": {"path": str(ROOT)}},
    ).execute(env={**os.environ, "PYTHONPATH": paths, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"})
    return [cell.outputs for cell in notebook.cells]


def test_three_cells_show_three_players(outputs: list[list[nbformat.NotebookNode]]) -> None:
    players = [output.data for cell in outputs[1:4] for output in cell if output.output_type == "execute_result"]
    assert len(players) == 3
    for player in players:
        assert player["text/html"].count('<iframe sandbox="allow-scripts"') == 1
        assert player["text/html"].count('<img style="max-width: 100%; max-height: 640px" alt="&lt;Recorded: ') == 1
    assert "; line 3: silently_wrong_gradient>" in players[0]["text/plain"]
    assert "no findings" in players[1]["text/plain"] and "no findings" in players[2]["text/plain"]


def test_what_the_shell_keeps_is_no_variable_of_a_cell(outputs: list[list[nbformat.NotebookNode]]) -> None:
    assert [output.text for output in outputs[8] if output.output_type == "stream"] == ["['t', 'w', 'x', 'y', 'z']\n"]


def test_functions_of_earlier_cells_are_followed(outputs: list[list[nbformat.NotebookNode]]) -> None:
    """Both `%%stepgrad` and a `with` block print the earlier cells that were recorded, with their numbers of statements."""
    printed = "".join(output.text for output in outputs[7] if output.output_type == "stream").splitlines()
    assert printed == ["['cell 6']", "2", "['cell 6', 'cell 7']", "2"]


def test_a_cell_runs_in_the_notebook_s_own_names(outputs: list[list[nbformat.NotebookNode]]) -> None:
    assert [output.text for output in outputs[2] if output.output_type == "stream"] == ["[4.0, 4.0, 4.0]\n"]


def test_a_cell_that_raises_is_told_and_shown(outputs: list[list[nbformat.NotebookNode]]) -> None:
    kinds = {output.output_type for output in outputs[4]}
    assert "execute_result" in kinds and kinds & {"error", "stream"}
    told = "".join(output.get("ename", "") + output.get("text", "") for output in outputs[4])
    assert "ZeroDivisionError" in told


def test_other_cells_are_no_part_of_a_recording(outputs: list[list[nbformat.NotebookNode]]) -> None:
    for cell in outputs[10:12]:
        (player,) = [output.data["text/html"] for output in cell if output.output_type == "execute_result"]
        assert "return v * 4" in player and "secret-" not in player and "api_key" not in player


def test_an_option_is_refused(outputs: list[list[nbformat.NotebookNode]]) -> None:
    said = "".join(output.get("text", "") + output.get("evalue", "") for output in outputs[12])
    assert "%%stepgrad takes no options: remove `--bogus` from its line." in said and "Traceback" not in said
