# The snippet catches an exception of torch.
import torch

w = torch.ones(3, requires_grad=True)
try:
    w += 1
except RuntimeError as error:
    print("caught", type(error).__name__)
v = w * 2
