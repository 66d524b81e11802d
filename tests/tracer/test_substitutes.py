"""The sandbox replaces compilers, worker processes and sockets. Programs give the same results as outside the sandbox."""

import pytest

from tests.tracer.conftest import Record, assert_nothing_differs
from tests.tracer.workers import Worker

COMPILED = """
import torch
{begin}
@torch.compile(fullgraph=True, mode="max-autotune")
def f(x):
    return (x.sin() * 2).sum()
model = torch.compile(torch.nn.Linear(2, 1))
layer = torch.nn.Linear(2, 1)
layer.compile(dynamic=True)
optimizer = torch.optim.Adam([*model.parameters(), *layer.parameters()])
for _ in range(3):
    optimizer.zero_grad()
    (f(model(torch.ones(4, 2))) + layer(torch.ones(4, 2)).sum()).backward()
    optimizer.step()
print(list(model.state_dict()), model.state_dict()["_orig_mod.weight"].tolist(), layer.weight.tolist(), type(model).__name__)
"""

LOADED = """
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
class Squares(Dataset):
    def __len__(self):
        return 7
    def __getitem__(self, at):
        return {"x": torch.tensor([at, at * at]), "y": at}
data = TensorDataset(torch.arange(8.).reshape(4, 2), torch.arange(4))
for loader in (
    DataLoader(data, 2, True, num_workers=2, timeout=60, prefetch_factor=4, persistent_workers=True),
    DataLoader(Squares(), 3, num_workers=1, multiprocessing_context="fork"),
):
    for _ in range(2):
        print([batch for batch in loader], len(loader))
for wrong in ({"num_workers": -1}, {"timeout": 5}, {"no_such": 1}):
    try:
        DataLoader(data, **wrong)
    except Exception as error:
        print(type(error).__name__, error)
"""

DISTRIBUTED = """
import os, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data.distributed import DistributedSampler
os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0")
dist.init_process_group("gloo", rank=0, world_size=1)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.arange(8.).reshape(4, 2)).sum().backward()
    optimizer.step()
print([each.tolist() for each in model.state_dict().values()])
t = torch.tensor([1., 2.])
dist.all_reduce(t)
dist.broadcast(t, 0)
dist.reduce(t, 0)
dist.all_reduce(t, op=dist.ReduceOp.MAX, async_op=True).wait()
others = [torch.zeros(2) for _ in range(5)]
dist.all_gather([others[0]], t)
dist.gather(t, [others[1]])
dist.scatter(others[2], [t])
dist.all_to_all_single(others[3], t)
dist.all_gather_into_tensor(others[4], t)
objects, sent = [None], [{"a": 1}]
dist.all_gather_object(objects, {"b": 2})
dist.broadcast_object_list(sent)
dist.barrier()
dist.all_reduce(t, group=dist.new_group([0]))
print(t, others, objects, sent, dist.get_rank(), dist.get_world_size(), list(DistributedSampler(range(4))))
dist.destroy_process_group()
print(dist.is_initialized())
"""


@pytest.mark.parametrize("source", [LOADED, DISTRIBUTED], ids=["workers", "process group"])
def test_the_values_are_those_of_real_processes(source: str, bare: Worker, recorded: Worker) -> None:
    assert_nothing_differs(source, bare, recorded)


def test_compiled_functions_run_as_torch_runs_them_eagerly(record: Record, bare: Worker, recorded: Worker) -> None:
    assert_nothing_differs(COMPILED.format(begin='torch.compiler.set_stance("force_eager")'), bare, recorded)
    (printed,) = record(COMPILED.format(begin="")).trace.outputs
    assert "_orig_mod.bias" in printed.text
    assert "OptimizedModule" in printed.text


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        (COMPILED.format(begin=""), {4: "compile", 7: "compile", 9: "compile"}),
        (LOADED, {15: "workers"}),
        (DISTRIBUTED, {7: "process_group"}),
        ("import torch\ntorch.compile(lambda x: x, backend='eager')(torch.ones(1))\n", {}),
        ("import torch\ntorch.compile(lambda x: x, disable=True)(torch.ones(1))\n", {}),
        ("from torch.utils.data import DataLoader\nlist(DataLoader([1, 2], num_workers=0))\n", {}),
    ],
)
def test_the_statement_says_what_was_replaced(source: str, marked: dict[int, str], record: Record) -> None:
    steps = record(source).trace.steps
    assert {step.span.line: step.substituted for step in steps if step.substituted and step.span} == marked


def test_torch_is_as_before_afterwards() -> None:
    import torch
    from torch.utils.data import DataLoader

    from app.trace.records import Request
    from app.tracer.recording import Recording

    before = torch.compile, DataLoader.__init__, torch.distributed.init_process_group
    Recording(Request(source="x = 1\n"), emit=lambda chunk: None, stop=lambda: None).run()
    assert (torch.compile, DataLoader.__init__, torch.distributed.init_process_group) == before
