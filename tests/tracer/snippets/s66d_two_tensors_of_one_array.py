# Two tensors from the same NumPy array share bytes, but not the version counter.
import numpy as np
import torch

a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
u = torch.from_numpy(a)
t += 1

#: run.finished and run.end.values("u") == run.end.values("t") == [2.0, 2.0]
#: run.end.same_memory("t", "u") and not run.end.same_storage("t", "u") and not run.end.same_counter("t", "u")
#: (run.end.version("t"), run.end.version("u")) == (1, 0)
