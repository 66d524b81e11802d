import torch
w = torch.ones(2, requires_grad=True)
x = torch.ones(2, device="cuda")
print((w.to("cuda") * x).sum())
