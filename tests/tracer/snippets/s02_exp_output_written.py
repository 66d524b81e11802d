# Writing to the output of exp breaks backward, because exp saves its output.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

#: run.raised("RuntimeError", "y.sum().backward()", inplace("[2]", "Exp", 1, 0))
#: before, written = run.after("y = x.exp()"), run.after("y.add_(1)")
#: before.saved("ExpBackward0", "result").state == "current"
#: saved = written.saved("ExpBackward0", "result")
#: (saved.state, saved.outdated, saved.version, written.version("y")) == ("outdated", "y.add_(1)", 0, 1)
#: saved.storage == written.storage("y")
