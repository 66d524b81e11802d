# needs cuda: memory is pinned for a GPU to copy from
import torch
w = torch.ones(3).pin_memory().requires_grad_()
there = w.to("cuda", non_blocking=True)
(there * torch.arange(3.0, device="cuda")).sum().backward()
torch.cuda.synchronize()
print(w.is_leaf, w.grad.tolist(), w.grad.is_pinned(), there.grad_fn.name())
try:
    torch.ones(2, device="cuda").pin_memory()
except RuntimeError as error:
    print(str(error).splitlines()[0])

# True [0.0, 1.0, 2.0] False ToCopyBackward0
# cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned
