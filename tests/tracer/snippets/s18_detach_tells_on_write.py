# `detach()` shares the version counter, so backward detects the write.
import torch

x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.detach().mul_(100)
y.sum().backward()

#: run.raised("RuntimeError", "y.sum().backward()", inplace("[1]", "Mul", 1, 0))
#: after = run.after("h.detach().mul_(100)")
#: (write,) = run.writes("h.detach().mul_(100)")
#: write.tensor is not None and write.tensor != after.id("h")
#: detached = after.state.tensor(write.tensor)
#: detached.version_counter == after.tensor("h").version_counter
#: (after.version("h"), detached.version, write.version) == (1, 1, 1)
#: after.saved("MulBackward0", "self").outdated == "h.detach().mul_(100)"
