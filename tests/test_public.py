"""The module `stepgrad`: a recording lists its findings, explains itself, and fails a test if a gradient is silently wrong."""

import pytest
import torch

from app.public import stepgrad


def test_a_recording_tells_what_is_found_and_explains_itself() -> None:
    x = torch.ones(3, requires_grad=True)
    with stepgrad.record() as recording:
        y = (x * x).sum()
        x.data.mul_(2)
        y.backward()  # type: ignore[no-untyped-call]
    (finding,) = recording.findings
    lines = recording.trace.source.splitlines()
    assert finding.kind == "silently_wrong_gradient" and lines[(finding.line or 0) - 1].strip() == "x.data.mul_(2)"
    said = recording.explain()
    assert "y = (x * x).sum()\n" in said and "Wrong gradients without an error" in said
    assert "梯度" in recording.explain("zh-CN")
    with pytest.raises(
        AssertionError, match=rf"^tests/test_public\.py:{finding.line}: error: Wrong gradients without an error"
    ):
        stepgrad.assert_no_silent_gradients(recording)


def test_right_gradients_pass_and_a_recording_goes_on_being_one() -> None:
    x = torch.ones(3, requires_grad=True)
    with stepgrad.record() as recording, stepgrad.record() as inner:
        assert inner is recording and recording.findings == []
        (x * x).sum().backward()  # type: ignore[no-untyped-call]
    stepgrad.assert_no_silent_gradients(recording)
    assert recording.findings == []


def test_what_raised_is_no_silent_gradient() -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"), stepgrad.record() as recording:
        y = x.exp()
        y.add_(1)
        y.sum().backward()  # type: ignore[no-untyped-call]
    assert [finding.kind for finding in recording.findings] == ["stale_saved_tensor"]
    stepgrad.assert_no_silent_gradients(recording)
    assert "raised RuntimeError" in recording.explain()
