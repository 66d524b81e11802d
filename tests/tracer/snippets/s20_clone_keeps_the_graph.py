# `clone()` continues the graph; `detach().clone()` shares neither the graph nor memory.
import torch

x = torch.tensor([1.0], requires_grad=True)
c = x.clone()
dc = x.detach().clone()
c *= 3
c.sum().backward()

#: run.finished and run.end.values("x.grad") == [3.0]
#: [run.end.values(name) for name in ("x", "c", "dc")] == [[1.0], [3.0], [1.0]]
#: run.end.grad_fn("c") == "MulBackward0" and "CloneBackward0" in run.end.backward_nodes("c")
#: not run.end.requires_grad("dc") and run.end.grad_fn("dc") is None
#: len({run.end.storage(name) for name in ("x", "c", "dc")}) == 3
