# to() may return the same object.
import torch

x = torch.ones(2)
y = x.to("cpu")
y += 1
print(y is x)
