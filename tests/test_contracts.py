"""Each part of app/ has an import contract in pyproject.toml, and imports only what the contract allows."""

import tomllib
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parent.parent
COMPOSITION = {"app.__init__", "app.__main__", "app.background", "app.commands", "app.compose", "app.errors"}
"""Modules that combine the parts, or that every part may import."""


def test_imports_keep_the_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_every_part_has_a_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    under_contract = {contract["part"] for contract in contracts if contract["type"] == "may_import"}
    parts = {f"app.{path.stem}" for path in (ROOT / "app").glob("*.py")}
    parts |= {f"app.{path.parent.name}" for path in (ROOT / "app").glob("*/__init__.py")}
    assert parts - COMPOSITION <= under_contract
