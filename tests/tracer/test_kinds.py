"""Record tensors of every layout, dtype and subclass. The trace agrees with torch or marks values as unknown.

Each snippet also runs in this process without a recorder, for comparison.
"""

import warnings
from typing import Any

import pytest
import torch

from app.trace.ends import Finished
from app.trace.records import SHAPELESS, Cells, TensorId, Unknown
from tests.trace.state import State
from tests.tracer.conftest import Record

KINDS = {
    "quantised": """
a = torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 0.1, 10, torch.quint8)
b = torch.quantize_per_channel(torch.ones(2, 2), torch.tensor([0.1, 0.2]), torch.tensor([0, 0]), 0, torch.qint8)
c = a.int_repr()
""",
    "packed": """
a = torch.empty(3, dtype=torch.uint4)
b = torch.zeros(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
c = torch.empty(3, dtype=torch.bits16)
""",
    "sparse": """
a = torch.eye(3).to_sparse()
a.mul_(2)
b = a.coalesce().values()
c = torch.eye(3).to_sparse_csr()
d = torch.eye(4).to_sparse_bsr((2, 2))
e = a.clone().requires_grad_()
f = torch.sparse.mm(e, torch.ones(3, 2))
f.sum().backward()
g = torch.eye(3).to_sparse_csc()
h = c.values()
h.add_(1)
""",
    "nested": """
a = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)])
b = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)], layout=torch.jagged)
c = b * 2
d = c.values()
""",
    "meta": """
a = torch.ones(3, device="meta")
a.add_(1)
b = a[1:]
""",
    "subclasses": """
class Plain(torch.Tensor):
    pass
a = torch.ones(2).as_subclass(Plain)
a.add_(1)
b = a * 2
class Own(torch.nn.Parameter):
    pass
c = Own(torch.ones(2))
d = torch.nn.Buffer(torch.ones(2))
e = torch.nn.Parameter(torch.ones(2))
(e * 2).sum().backward()
f = e.grad
""",
    "lazy": """
a = torch.nn.parameter.UninitializedBuffer()
layer = torch.nn.LazyLinear(3)
b = layer.bias
layer(torch.ones(2, 4))
torch.nn.init.ones_(layer.weight)
c = layer.weight
torch.nn.init.zeros_(b)
""",
    "wrappers": """
from torch.testing._internal.two_tensor import TwoTensor
a = TwoTensor(torch.ones(2), torch.zeros(2))
a.add_(1)
b = a * 2
from torch._subclasses.fake_tensor import FakeTensorMode
fake = FakeTensorMode()
c = fake.from_tensor(torch.ones(3))
with fake:
    d = torch.ones(2) + 1
from torch.masked import masked_tensor
e = masked_tensor(torch.ones(3), torch.tensor([True, False, True]))
f = e + e
class Own(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        with torch._C._DisableTorchDispatch():
            return func(*args, **(kwargs or {}))
g = torch.Tensor._make_subclass(Own, torch.ones(3))
guard = torch._C._DisableTorchDispatch()
h = g + 1
del guard
g.mul_(2)
i = g * 3
""",
    "functorch": """
def f(x):
    y = x * 2
    y.add_(1)
    return y.sum()
a = torch.func.grad(f)(torch.ones(2))
b = torch.func.vmap(f)(torch.ones(2, 2))
c = torch.func.jvp(f, (torch.ones(2),), (torch.ones(2),))[1]
import torch.autograd.forward_ad as forward_ad
with forward_ad.dual_level():
    d = forward_ad.make_dual(torch.ones(2), torch.ones(2))
    e = d * 2
""",
    "no bytes of their own": """
a = torch._efficientzerotensor(3)
b = torch.ones(3).to_mkldnn()
c = torch.ones(2, 2)
c.untyped_storage().resize_(0)
""",
}
"""Each kind of tensor, and a snippet that creates it. Variables with one-letter names are compared."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_trace_says_what_torch_says_or_that_it_is_not_read(kind: str, record: Record) -> None:
    source = "import torch\n" + KINDS[kind]
    namespace: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(source, namespace)
    trace = record(source).trace
    assert trace.ended == Finished()
    state = State(trace, max(step.ended for step in trace.steps if step.ended is not None))
    named = state.variables()
    tensors = {name: value for name, value in namespace.items() if len(name) == 1 and isinstance(value, torch.Tensor)}
    assert tensors.keys() <= named.keys()
    for name, tensor in tensors.items():
        compare(tensor, state, named[name])


def compare(tensor: torch.Tensor, state: State, serial: TensorId) -> None:
    said = state.tensor(serial)
    geometry = said.geometry
    assert geometry is not None
    assert state.trace.tensors[serial].type == getattr(type(tensor), "cls_to_become", type(tensor)).__name__
    assert (geometry.dtype, said.requires_grad) == (str(tensor.dtype).removeprefix("torch."), tensor.requires_grad)
    if geometry.layout in SHAPELESS:
        assert torch.nn.parameter.is_lazy(tensor) == (geometry.layout == "uninitialized")
        assert (geometry.shape, geometry.stride) == ([], None)
        return
    assert geometry.layout == str(tensor.layout).removeprefix("torch.")
    assert geometry.shape == list(tensor.shape)
    if not isinstance(said.version, Unknown):
        assert said.version == tensor._version
    if geometry.storage is None:
        return
    contents = state.storage(geometry.storage).contents
    if not isinstance(contents, Cells):
        assert isinstance(contents, Unknown) and contents.reason
    elif contents.dtype == geometry.dtype and contents.values and tensor.is_contiguous() and not tensor.storage_offset():
        assert contents.values[: tensor.numel()] == tensor.detach().reshape(-1).tolist()


def test_code_of_a_class_is_not_run(record: Record) -> None:
    source = """
import torch
asked = []
class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        policies = {"dispatch_sizes_strides_policy": "sizes", "dispatch_device": True, "dispatch_layout": True}
        return torch.Tensor._make_wrapper_subclass(cls, inner.size(), strides=inner.stride(), dtype=inner.dtype, **policies)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        asked.append(str(func))
        args = [each.inner if isinstance(each, Wrapper) else each for each in args]
        return func(*args, **(kwargs or {}))
a = Wrapper(torch.ones(2, 3))
b = a
c = torch.ones(1)
print(asked)
"""
    trace = record(source).trace
    assert (trace.ended, [output.text for output in trace.outputs]) == (Finished(), ["[]\n"])
    wrapper = next(tensor for tensor in trace.tensors if tensor.type == "Wrapper")
    assert [geometry.layout for _, geometry in wrapper.geometry] == ["opaque"]
