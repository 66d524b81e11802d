# grad_fn shows whether reshape returned a view or a copy.
import torch

a = torch.arange(6.0).view(2, 3).requires_grad_()
r1, r2 = a.reshape(3, 2), a.t().reshape(6)

#: run.finished
#: (run.end.grad_fn("r1"), run.end.grad_fn("r2")) == ("ViewBackward0", "UnsafeViewBackward0")
