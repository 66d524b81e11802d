# The same within no_grad.
import torch

w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
with torch.no_grad():
    w = w - 0.1 * w.grad
(w * 2).sum().backward()

#: run.raised("RuntimeError", "(w * 2).sum().backward()", NOGRAD)
#: before, after = run.after("(w * 2)", 0), run.after("w = w - 0.1 * w.grad")
#: before.requires_grad("w") and not after.requires_grad("w") and after.is_leaf("w")
#: before.id("w") != after.id("w") and before.storage("w") != after.storage("w")
#: [step.grad_enabled for step in run.steps("w = w -")] == [False]
