# A write through `.data` is not counted, so the gradient is silently wrong.
import torch

x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.data.mul_(100)
y.sum().backward()

#: run.finished and run.end.values("x.grad") == [400.0]
#: before, after = run.after("y = h * h"), run.after("h.data.mul_(100)")
#: (before.version("h"), before.values("h")) == (0, [2.0])
#: (after.version("h"), after.values("h")) == (0, [200.0])
#: for slot in ("self", "other"):
#:     saved = after.saved("MulBackward0", slot)
#:     assert (saved.tensor, saved.state) == ("h", "overwritten")
#:     assert (saved.overwritten, saved.outdated) == ("h.data.mul_(100)", None)
#: (write,) = run.writes("h.data.mul_(100)")
#: write.storage == after.storage("h") and write.version_counter != after.tensor("h").version_counter
#: write.changed and write.version == 1  # of `h.data`, which the expression gives
