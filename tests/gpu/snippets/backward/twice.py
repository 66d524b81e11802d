import torch
x = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad.tolist())
hessian = torch.autograd.functional.hessian(lambda v: (v**3).sum(), x.detach())
print(hessian.tolist())
y.backward()

# [4.0, 8.0]
# [[6.0, 0.0], [0.0, 12.0]]
