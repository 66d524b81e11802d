# zero_grad and clip_grad_norm_ and a kept gradient.
import torch

x = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([x], lr=0.1)
(x * 2).sum().backward()
g = x.grad
torch.nn.utils.clip_grad_norm_([x], 1.0)
opt.zero_grad(set_to_none=False)
opt.zero_grad()
