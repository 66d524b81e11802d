"""Keeps torch's compilers away from the recorder, so that they neither compile its callbacks nor trace its reads."""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
import torch._C._dynamo.eval_frame as _dynamo

_SKIPPED = _dynamo._FrameExecStrategy(_dynamo._FrameAction.SKIP, _dynamo._FrameAction.SKIP)

Function = TypeVar("Function", bound=Callable[..., Any])


def not_compiled(function: Function) -> Function:
    """Decorator for a callback of the recorder: `torch.compile` skips the callback and all functions that it calls.

    TORCH 2.13: while a compiled function runs, torch compiles every Python function that begins on that thread.
    """
    _dynamo.set_code_exec_strategy(function.__code__, _SKIPPED)
    return function


jit_tracing = torch._C._get_tracing_state
"""Returns the state of the `torch.jit.trace` that runs on this thread; None if none runs."""
set_jit_tracing = torch._C._set_tracing_state  # type: ignore[attr-defined]
