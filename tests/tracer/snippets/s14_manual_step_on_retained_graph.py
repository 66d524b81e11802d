# A weight is updated in place between two backwards through a retained graph.
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w * w
loss.backward(retain_graph=True)
with torch.no_grad():
    w -= 0.1 * w.grad
loss.backward()

#: message = f"{INPLACE}[torch.FloatTensor []] is at version 1; expected version 0 instead."
#: run.raised("RuntimeError", "loss.backward()", message)
#: stepped = run.after("w -= 0.1 * w.grad")
#: stepped.version("w") == 1
#: for slot in ("self", "other"):
#:     saved = stepped.saved("MulBackward0", slot)
#:     assert (saved.tensor, saved.version, saved.outdated) == ("w", 0, "w -= 0.1 * w.grad")
