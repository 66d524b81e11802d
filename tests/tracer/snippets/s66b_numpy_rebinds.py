# Rebinding the array writes nothing.
import numpy as np
import torch

a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
a = a + 1
