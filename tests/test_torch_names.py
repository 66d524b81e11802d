"""The names that the editor completes are those of the installed torch."""

import pytest
import torch

from tests.torch_names import FILE, script


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="the names are those of torch 2.13")
def test_the_names_are_those_of_torch() -> None:
    assert FILE.read_text("utf-8") == script(), "run `make torch-names`"
