import numpy as np
import torch
a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
u = torch.from_numpy(a)
w = torch.ones(2, requires_grad=True)
y = (w * t).sum()
a *= 10
y.backward()
