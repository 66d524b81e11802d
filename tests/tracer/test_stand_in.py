"""The CPU stands in for a GPU: the snippet's output, the trace, and torch's unchanged state afterwards.

Expected results of a GPU follow from torch's source code. Where the device does not matter, torch's results on the CPU are
expected.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.ends import Finished, Raised
from app.trace.query import END, value_at
from app.trace.records import Cells
from tests import scripts
from tests.recordings import chunks, folded
from tests.tracer.stood_in import PROGRAMS, REFUSALS, expected_lines, refusing

StoodIn = Callable[[str], Trace]


@pytest.fixture(scope="module")
def stood_in() -> StoodIn:
    def run(source: str) -> Trace:
        trace = folded(source, chunks(source, "stood_in"))
        check(trace)
        return trace

    return run


def printed(trace: Trace) -> str:
    assert isinstance(trace.ended, Finished), trace.ended
    return "".join(output.text for output in trace.outputs if output.stream == "stdout")


def devices(trace: Trace) -> dict[str, str]:
    """Return the device of the tensor in each variable at the end."""
    found = {}
    for name in trace.names:
        tensor = value_at(name.tensor, END)
        geometry = None if tensor is None else value_at(trace.tensors[tensor].geometry, END)
        if geometry is not None:
            found[name.path] = geometry.device
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_a_program_prints(stood_in: StoodIn, path: Path) -> None:
    source = path.read_text("utf-8")
    assert printed(stood_in(source)).splitlines() == expected_lines(source)


@pytest.mark.parametrize("expression", REFUSALS)
@pytest.mark.parametrize("mode", ["", "with torch.inference_mode(): "])
def test_what_a_program_is_refused(stood_in: StoodIn, expression: str, mode: str) -> None:
    trace = stood_in(refusing(expression, mode))
    assert isinstance(trace.ended, Raised), trace.ended
    kind = trace.ended.type.replace("torch._C.", "torch.")
    assert f"{kind}: {trace.ended.message}".startswith(REFUSALS[expression])
    assert trace.ended.line == 5


LOOP = """
import torch
from torch import nn
torch.manual_seed(0)
device = DEVICE
x = torch.linspace(-1, 1, 48).reshape(16, 3)
y = (x.sum(1) > 0).long()
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).to(device)
optimizer = torch.optim.OPTIMIZER
for epoch in range(4):
    loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    print(loss.item())
print(net(x.to(device)).argmax(1).cpu().numpy().tolist(), net[0].weight, net[0].weight.grad)
"""


@pytest.mark.parametrize(
    "optimizer",
    [
        "SGD(net.parameters(), lr=.1, momentum=.9, foreach=True)",
        "Adam(net.parameters(), lr=.05, foreach=True)",
        "AdamW(net.parameters(), fused=True)",
    ],
)
def test_a_training_loop_computes_what_the_cpu_computes(stood_in: StoodIn, optimizer: str) -> None:
    source = LOOP.replace("OPTIMIZER", optimizer)
    on_cpu = printed(stood_in(source.replace("DEVICE", "'cpu'")))
    trace = stood_in(source.replace("DEVICE", "'cuda' if torch.cuda.is_available() else 'cpu'"))
    on_gpu = printed(trace)
    assert on_gpu.count("device='cuda:0'") == 2
    assert re.sub(r",\s+device='cuda:0'", "", on_gpu).split() == on_cpu.split()
    found = devices(trace)
    assert (found["x"], found["loss"]) == ("cpu", "cuda:0")
    assert {device for name, device in found.items() if name.startswith("net")} == {"cuda:0"}
    assert trace.header.stand_in


def test_the_trace_says_where_everything_would_be_and_shows_the_values(stood_in: StoodIn) -> None:
    trace = stood_in(
        "import torch\nw = torch.ones(2, requires_grad=True)\nx = w.to('cuda')\ny = x[:1]\ny2 = (x * 2).sum()\ny2.backward()\n"
        "c = x.detach().cpu()\nbig = torch.zeros(1000, device='cuda')\ng = w.grad\n"
    )
    assert devices(trace) == {
        "w": "cpu",
        "x": "cuda:0",
        "y": "cuda:0",
        "y2": "cuda:0",
        "c": "cpu",
        "big": "cuda:0",
        "g": "cpu",
    }
    for tensor in trace.tensors:
        for _, geometry in tensor.geometry:
            assert geometry.storage is None or trace.storages[geometry.storage].device == geometry.device
    (x,) = (name for name in trace.names if name.path == "x")
    tensor_id = value_at(x.tensor, END)
    assert tensor_id is not None
    last = value_at(trace.tensors[tensor_id].geometry, END)
    assert last is not None and last.storage is not None
    contents = value_at(trace.storages[last.storage].contents, END)
    assert isinstance(contents, Cells) and contents.values == [1.0, 1.0]
    operators = [step.name for step in trace.steps if step.kind == "operator"]
    assert operators.count("aten::_to_copy") == 3, "to the GPU, its gradient back, and to the CPU"


SWEPT = sorted((Path(__file__).parent / "snippets").glob("*.py"))
OTHERWISE = {
    "s46_numpy_of_tracked": "NumPy refuses a GPU's tensor before it looks at requires_grad",
    "s58_same_object": "`x.to('cpu')` is a copy",
    "s66_numpy_writes_unseen": "`from_numpy` stays on the CPU",
    "s66c_tensor_writes_array": "NumPy",
    "t07_dlpack": "DLPack",
    "t20_optimizer_loop": "the GPU has a stream of random numbers of its own",
    "t26_sparse_gradient": "sparse tensors have no storage to label",
    "t46_transformer_fast_path": "prints differences of random numbers",
    "t60_numpy_out": "NumPy",
    "t64_gradients_meet": "a labelled gradient is never added in place",
    "t72_fake_and_meta": "prints the device",
    "t73_jit_trace": "prints a graph with the places that `set_default_device` runs through",
    "t74_sparse_layouts": "sparse tensors have no storage to label",
    "t77_sparse_saved": "sparse tensors have no storage to label",
    "t78_compiled": "the compiler asks for streams",
    "t90_sparse_parts_count_together": "`sparse_coo_tensor` asks for CUDA below what is stood in for",
}
"""Programs that behave differently on a GPU or its stand-in, with the reason."""


@pytest.mark.long
def test_every_program_goes_the_same_way_with_everything_on_the_gpu(stood_in: StoodIn) -> None:
    differing = {}
    for path in SWEPT:
        text = path.read_text("utf-8")
        if "from __future__" in text:
            continue
        source = "import torch; torch.set_default_device('cuda')\n" + text
        plain = folded(text, chunks("import torch\n" + text))
        if _told(stood_in(source)) != _told(plain):
            differing[path.stem] = (_told(stood_in(source)), _told(plain))
    assert differing.keys() - OTHERWISE.keys() == set(), differing
    assert OTHERWISE.keys() - differing.keys() <= {"t46_transformer_fast_path"}


def _told(trace: Trace) -> tuple[str, str, str]:
    text = "".join(output.text for output in trace.outputs if output.stream == "stdout")
    message = trace.ended.message if isinstance(trace.ended, Raised) else ""
    return (
        re.sub(r",\s+device='cuda:0'", "", text),
        type(trace.ended).__name__,
        re.sub(r",\s+device='cuda:0'", "", message).replace("torch.cuda.", "torch."),
    )


AFTERWARDS = """
import json, sys, torch
from app.trace.records import Request
from app.tracer.recording import Recording

places = [torch, torch.Tensor, torch.cuda, torch.cuda.random, torch.accelerator, torch.UntypedStorage, torch.backends.cudnn]
places += [torch.autograd.function.BackwardCFunction, torch.autograd, torch.autograd.graph]
source = '''import torch
x = torch.ones(2, device="cuda", requires_grad=True)
with torch.autocast("cuda"):
    x.exp().sum().backward()
1 / 0'''

def run(stand_in):
    Recording(Request(source=source, stand_in=stand_in), lambda chunk: None, lambda: None).run()

run(False)
before = [dict(vars(place)) for place in places]
kernels = torch._C._dispatch_dump("aten::exp")
run(True)
changed = []
for place, earlier in zip(places, before):
    changed += [name for name in {*earlier, *vars(place)} if earlier.get(name) is not vars(place).get(name)]
same_kernels = kernels == torch._C._dispatch_dump("aten::exp")
print(json.dumps([changed, same_kernels, torch.is_autocast_enabled("cpu")]), file=sys.__stdout__)
"""


def test_afterwards_torch_is_as_it_was(tmp_path: Path) -> None:
    assert json.loads(scripts.said_by(tmp_path, AFTERWARDS)) == [[], True, False]


def test_without_it_torch_speaks_for_itself() -> None:
    source = "import torch\nprint(torch.cuda.is_available())\ntorch.ones(2, device='cuda')\n"
    with pytest.raises(
        (AssertionError, RuntimeError)
    ) as told:  # the message of a CPU build, or of a CUDA build without a driver
        torch.ones(2, device="cuda")
    trace = folded(source, chunks(source))
    assert isinstance(trace.ended, Raised)
    assert (trace.ended.type, trace.ended.message) == (told.type.__name__, str(told.value))
    assert [output.text for output in trace.outputs] == ["False\n"]
