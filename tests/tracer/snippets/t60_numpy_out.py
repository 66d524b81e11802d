# NumPy and memoryview write.
import torch

import numpy as np
t = torch.zeros(3)
n = t.numpy()
np.add(n, 2, out=n)
v = t.view(3)
n[1] = 7
u = torch.as_tensor(n)
memoryview(n)[0] = 5.0
