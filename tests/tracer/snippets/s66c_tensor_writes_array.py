# Writing the tensor changes the array.
import torch

t = torch.ones(2)
a = t.numpy()
t += 1
print(a)
