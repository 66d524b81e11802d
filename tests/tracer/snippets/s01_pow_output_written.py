# Writing to the output of pow is allowed, because pow saves only its input.
import torch

x = torch.tensor([3.0], requires_grad=True)
y = x ** 2
y.add_(1)
y.sum().backward()

#: written = run.after("y.add_(1)")
#: run.finished and run.end.values("x.grad") == [6.0]
#: (written.version("y"), written.grad_fn("y")) == (1, "AddBackward0")
#: saved = written.saved("PowBackward0", "self")
#: (saved.tensor, saved.version, saved.state, written.version("x")) == ("x", 0, "current", 0)
