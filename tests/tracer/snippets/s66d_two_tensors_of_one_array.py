# Two tensors of one array: same bytes, two counters.
import numpy as np
import torch

a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
u = torch.from_numpy(a)
t += 1
