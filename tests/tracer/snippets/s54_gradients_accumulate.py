# Gradients accumulate.
import torch

w = torch.tensor(2.0, requires_grad=True)
l = w ** 2
l.backward(retain_graph=True)
l.backward()

#: first, second = run.after("l.backward(retain_graph=True)"), run.after("l.backward()")
#: run.finished and first.saved("PowBackward0", "self").state == "current"
#: (first.values("w.grad"), second.values("w.grad")) == ([4.0], [8.0])
#: run.gradients("PowBackward0") == [[4.0], [4.0]] and first.id("w.grad") == second.id("w.grad")
