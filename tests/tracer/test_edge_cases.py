"""What is too long for the wire, or pulls the recorder's own tools away: the run goes on."""

import pytest

from app.trace.ends import Finished, Raised
from tests.tracer.conftest import Record

EDGE_CASES = {
    "stdout gone": "import sys\nsys.stdout = sys.stderr = None",
    "stdout closed": "import sys\nsys.stdout.close()",
    "message": "raise ValueError('x' * 10**7)",
    "own text": "class E(Exception):\n    def __str__(self):\n        return 'y' * 10**7\nraise E()",
    "type": "raise type('K' * 9000, (Exception,), {})()",
    "attribute": "import torch\nclass A: pass\na = A()\nsetattr(a, 'q' * 9000, torch.ones(1))\nb = 1",
    "variable": f"import torch\n{'n' * 9000} = torch.ones(2)\nb = 1",
    "key": "import torch\nd = {'k' * 9000: torch.ones(1)}\nb = 1",
    "warning": "import warnings\nwarnings.warn('z' * 30000)",
}
"""What it is about -> a snippet that has it."""


@pytest.mark.parametrize("name", EDGE_CASES)
def test_the_run_goes_on(name: str, record: Record) -> None:
    ended = record(EDGE_CASES[name]).ended
    assert isinstance(ended, Finished | Raised), ended
