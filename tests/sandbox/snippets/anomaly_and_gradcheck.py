import torch

x = torch.ones(3, requires_grad=True)
with torch.autograd.detect_anomaly():
    (x * x).sum().backward()
print(torch.autograd.gradcheck(lambda a: a * a, torch.ones(3, dtype=torch.double, requires_grad=True)))
