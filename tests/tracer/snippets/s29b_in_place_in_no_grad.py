# Writing to a leaf in place within no_grad causes no error.
import torch

w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
(w * 2).sum().backward()

#: before, after = run.after("(w * 2)", 0), run.after("w -= 0.1 * w.grad")
#: run.finished and before.id("w") == after.id("w") and before.storage("w") == after.storage("w")
#: (after.is_leaf("w"), after.requires_grad("w"), after.version("w")) == (True, True, 1)
