import torch
from torch.utils.checkpoint import checkpoint
w = torch.linspace(0.1, 1, 4, device="cuda").requires_grad_()
def block(v):
    kept = v.sin()
    return kept * torch.nn.functional.dropout(v, 0.5)
for reentrant in (False, True):
    y = checkpoint(block, w, use_reentrant=reentrant)
    y.sum().backward()
    print(torch.equal(w.grad == 0, torch.isclose(y, torch.zeros_like(y))))
    w.grad = None

# True
# True
