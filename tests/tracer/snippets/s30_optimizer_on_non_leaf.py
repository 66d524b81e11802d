# An optimizer raises if it gets a tensor that is not a leaf.
import torch

w = torch.randn(2, requires_grad=True) * 0.1
torch.optim.SGD([w], lr=0.1)

#: run.raised("ValueError", "torch.optim.SGD(", "can't optimize a non-leaf Tensor")
#: not run.end.is_leaf("w") and run.end.grad_fn("w") == "MulBackward0"
