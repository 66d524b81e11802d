# zero_grad() and clip_grad_norm_() while a variable refers to the gradient.
import torch

x = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([x], lr=0.1)
(x * 2).sum().backward()
g = x.grad
torch.nn.utils.clip_grad_norm_([x], 1.0)
opt.zero_grad(set_to_none=False)
opt.zero_grad()

#: clipped, zeroed, none = run.after("torch.nn.utils.clip"), run.after("opt.zero_grad(set"), run.after("opt.zero_grad()")
#: run.finished and clipped.version("g") == 1 and clipped.same_tensor("g", "x.grad")
#: clipped.values("g") == [0.70710653, 0.70710653]
#: zeroed.values("g") == [0.0, 0.0] and zeroed.same_tensor("g", "x.grad")
#: not none.has_grad("x") and none.values("g") == [0.0, 0.0] and none.version("g") == zeroed.version("g")
