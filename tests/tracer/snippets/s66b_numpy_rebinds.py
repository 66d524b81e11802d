# Assigning a new array to the variable does not write to the tensor.
import numpy as np
import torch

a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
a = a + 1

#: run.finished and run.end.values("t") == [1.0, 1.0] and not run.trace.writes
