"""A process group of one rank in Python: each collective operation returns its input, without a socket."""

from typing import Any

import torch
import torch.distributed as dist


def one_rank_group() -> Any:
    """The class of the process group. It does not define `send` and `recv`, which therefore raise: a rank cannot send to
    itself."""
    methods: dict[str, Any] = {
        **dict.fromkeys(("allreduce", "allreduce_coalesced", "broadcast", "reduce"), _unchanged),
        **dict.fromkeys(("allgather", "gather"), _gathered),
        **dict.fromkeys(("scatter", "reduce_scatter"), _scattered),
        **dict.fromkeys(("alltoall", "allgather_into_tensor_coalesced", "reduce_scatter_tensor_coalesced"), _copied),
        **dict.fromkeys(("_allgather_base", "_reduce_scatter_base", "all_gather_single", "reduce_scatter_single"), _copied_one),
        **dict.fromkeys(("alltoall_base", "all_to_all_single"), _copied_one),
        "barrier": lambda self, opts=None: _done([]),
        "getBackendName": lambda self: "one_rank",
    }
    return type("OneRank", (dist.ProcessGroup,), methods)


def _unchanged(self: Any, tensors: Any, opts: Any = None) -> Any:
    return _done(tensors)


def _gathered(self: Any, outputs: Any, inputs: Any, opts: Any = None) -> Any:
    return _copied(self, [output for each in outputs for output in each], inputs)


def _scattered(self: Any, outputs: Any, inputs: Any, opts: Any = None) -> Any:
    return _copied(self, outputs, [given for each in inputs for given in each])


def _copied_one(self: Any, output: torch.Tensor, given: torch.Tensor, *splits_and_options: Any) -> Any:
    return _copied(self, [output], [given])


def _copied(self: Any, outputs: Any, inputs: Any, opts: Any = None) -> Any:
    with torch.no_grad():
        for output, given in zip(outputs, inputs, strict=False):
            output.detach().view_as(given).copy_(given)  # torch's own groups also write to tensors that require grad
    return _done(outputs)


def _done(result: Any) -> Any:
    future: Any = torch.futures.Future()
    future.set_result(result)
    return torch._C._distributed_c10d._create_work_from_future(future)  # type: ignore[attr-defined]
