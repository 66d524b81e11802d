"""The functions that the zygote imports by name: `preload` runs once, `warm_up` and `run` in each sealed child."""

import os
import random
import sys
from collections.abc import Callable, Iterator

import numpy as np
import torch

from app.trace.records import Request
from app.trace.requests import decode_request
from app.tracer import adapter
from app.tracer.recording import Recording

_WARM_UP = """
import torch
x = torch.ones(2, requires_grad=True)
print(x * 2)
torch.optim.SGD([x], lr=0.1, momentum=0.9).step()
torch.optim.AdamW([x], lr=0.1)
torch.nn.Linear(2, 2)(x)
"""
"""The program runs no backward, because in a forked child the autograd engine would still have the id and threads of this
process."""

_FIRST_STEPS = (
    "pass",
    "import torch\nx = torch.ones(2)\nprint(x * 2)",
    "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\nprint(x.grad)",
)
"""Programs with the most common operations. Each takes 4 ms. A training step would take as long as all three, but would save
only a tenth more."""

_FIRST_NODE = 16
"""The sequence number of a run's first Node. It is larger than the number of Nodes that the process created before the run.
That number differs between processes."""


def preload() -> None:
    """Load, in the zygote, the modules and kernels that torch loads on first use, so that runs need no time for them.
    Afterwards the process has one thread and no graph.

    Measured on torch 2.13: the first optimizer imports torch._dynamo (1.2 s), the first recording registers a kernel for every
    operator (0.4 s).
    """
    adapter.buffer_lines_of_c()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    _record_for_nobody(_WARM_UP)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        raise RuntimeError("preload() opened a CUDA device, which no fork of this process could use")


def warm_up() -> Iterator[None]:
    """Record a few lines of code in a forked child before it gets its request. A lesson then takes 4 ms of processor time
    instead of 13."""
    for source in _FIRST_STEPS:
        yield
        _record_for_nobody(source)


def run(request: bytes, emit: Callable[[bytes], None]) -> None:
    """Record one snippet. `request` is an encoded Request. `emit` gets payloads: a Head followed by an encoded Chunk.

    Seeds all random generators, so that a link always shows the same numbers. Raises TraceDecodeError for a malformed request.
    """
    decoded = decode_request(request)
    # After a fork by libc, two threads of the autograd engine may both try to create the thread pool, and torch fails ("Invalid
    # thread pool!", aten/src/ATen/ParallelOpenMP.cpp; seen with torch 2.15). This call creates the pool without changing the
    # number of threads.
    torch.set_num_threads(torch.get_num_threads())
    # torch.manual_seed would keep a stack trace for each kind of device that may be initialized later: 6 ms of a run of 15 ms.
    torch.default_generator.manual_seed(decoded.seed)
    if torch.version.cuda is not None:
        torch.cuda.manual_seed_all(decoded.seed)
    random.seed(decoded.seed)
    np.random.seed(decoded.seed % 2**32)
    _number_nodes()
    Recording(decoded, emit, stop=lambda: os._exit(0)).run()


def _record_for_nobody(source: str) -> None:
    main, argv = sys.modules["__main__"], sys.argv
    Recording(Request(source=source), emit=lambda chunk: None, stop=lambda: None).run()
    sys.modules["__main__"], sys.argv = main, argv


def _number_nodes() -> None:
    """Let the sequence numbers of Nodes start at the same value in every run, even in a child that was not warmed up."""
    x = torch.ones((), requires_grad=True)
    while adapter.next_sequence_nr() < _FIRST_NODE:
        x.view_as(x)
