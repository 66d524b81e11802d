"""Values that are too long for a trace, and snippets that close or remove stdout. The recorded run continues."""

import pytest

from app.trace.codec import decode_chunk
from app.trace.ends import Exited, Finished, Interfered, Raised
from app.trace.heads import content_of
from app.trace.records import Request
from app.tracer.recording import Recording
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
    "line of a warning": "import warnings\nwarnings.warn_explicit('x', UserWarning, 'snippet.py', -4)",
    "line of an exception": "raise SyntaxError('no line', ('snippet.py', 'seven', 3, 'text'))",
    "warning": "import warnings\nwarnings.warn('z' * 30000)",
}
"""What is too long or missing, and a snippet for it."""


@pytest.mark.parametrize(("code", "told"), [("True", 1), ("2**60", 0), ("-(2**70)", -1), ("2**53", 2**53), ("[]", 1)])
def test_an_exit_has_a_code_that_can_be_told(code: str, told: int, record: Record) -> None:
    assert record(f"raise SystemExit({code})").ended == Exited(code=told, by="SystemExit")


def test_the_text_of_an_exception_is_told_where_torch_and_python_make_it(record: Record) -> None:
    source = """
import torch
for raised in (ValueError(torch.ones(1)), ValueError(1, [{"a": 2.5}]), RuntimeError(KeyError("k")), OSError(2, "no", "file")):
    try:
        raise raised
    except Exception:
        pass
"""
    told = [step.message for step in record(source).trace.steps if step.kind == "exception"]
    assert told == ["tensor([1.])", "(1, [{'a': 2.5}])", "'k'", "[Errno 2] no: 'file'"]


def test_a_failure_while_a_failure_is_told_stays_inside() -> None:
    sent: list[bytes] = []
    recording = Recording(Request(source="x = 1"), sent.append, lambda: None)
    recording.tables.names.add(path=object(), frame=0)
    try:
        raise RuntimeError("first")
    except RuntimeError as failure:
        recording.lines.guard.stop(failure)
    ended = decode_chunk(content_of(sent[-1])).ended
    assert isinstance(ended, Interfered)
    assert "first" in ended.reason


@pytest.mark.parametrize("name", EDGE_CASES)
def test_the_run_goes_on(name: str, record: Record) -> None:
    ended = record(EDGE_CASES[name]).ended
    assert isinstance(ended, Finished | Raised), ended
