"""Findings about a missing GPU mark the code that needs it, whatever the message of torch."""

import msgspec
import pytest

from app.explain import explain
from app.trace.ends import Raised
from tests.explain.asking import ASKS, OUT_OF_SIGHT, PINNED
from tests.explain.recorded import record, reworded

OTHERS = [
    'device = "cuda" if torch.cuda.is_available() else "cpu"\nx = torch.zeros(-1, device=device)',
    'assert torch.ones(1).device.type == "cuda"',
    "try:\n    x = torch.ones(2).cuda()\nexcept (AssertionError, RuntimeError):\n    x = torch.ones(2)",
]


def kinds(lines: str, *, in_other_words: bool = True) -> list[str]:
    (trace,) = record([f"import torch\n{lines}\n"])
    return [finding.kind for finding in explain(reworded(trace) if in_other_words else trace).findings]


@pytest.mark.parametrize("lines", ASKS)
def test_what_asked_is_read_from_the_snippet(lines: str) -> None:
    assert kinds(lines) == ["no_gpu"]


def test_what_asked_out_of_sight_is_read_from_the_message() -> None:
    assert kinds(OUT_OF_SIGHT, in_other_words=False) == ["no_gpu"]


def test_pinned_memory_needs_one_and_the_cpu_does_not_stand_in_for_it() -> None:
    (trace,) = record([f"import torch\n{PINNED}\n"])
    (finding,) = explain(trace).findings
    assert (finding.kind, finding.line, finding.arguments["asked"], finding.fixes) == ("no_gpu", 2, "pinned", [])


def test_a_cuda_build_without_a_driver_says_less_of_pinned_memory() -> None:
    (trace,) = record([f"import torch\n{PINNED}\n"])
    assert isinstance(trace.ended, Raised)
    ended = msgspec.structs.replace(
        trace.ended, message="Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"
    )
    (finding,) = explain(msgspec.structs.replace(trace, ended=ended)).findings
    assert (finding.kind, finding.arguments["asked"], finding.fixes) == ("no_gpu", "pinned", [])


@pytest.mark.parametrize("lines", OTHERS)
def test_other_errors_are_not_blamed_on_it(lines: str) -> None:
    assert kinds(lines, in_other_words=False) == []
