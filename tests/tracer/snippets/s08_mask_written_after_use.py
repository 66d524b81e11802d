# An assignment with a boolean mask writes to a tensor that a product saved.
import torch

x = torch.tensor([1.0, -1.0], requires_grad=True)
h = x * 1
y = h * h
h[h < 0] = 0
y.sum().backward()

#: run.raised("RuntimeError", "y.sum().backward()", inplace("[2]", MASKED_WRITE, 1, 0))
#: written = run.after("h[h < 0] = 0")
#: (written.version("h"), written.grad_fn("h"), written.values("h")) == (1, f"{MASKED_WRITE}Backward0", [1.0, 0.0])
#: for slot in ("self", "other"):
#:     saved = written.saved("MulBackward0", slot)
#:     assert (saved.tensor, saved.version, saved.outdated) == ("h", 0, "h[h < 0] = 0")
