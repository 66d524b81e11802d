# Anomaly mode words the error differently.
import torch

torch.autograd.set_detect_anomaly(True, check_nan=False)
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
