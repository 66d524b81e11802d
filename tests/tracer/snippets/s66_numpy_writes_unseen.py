# Autograd does not notice writes by NumPy.
import numpy as np
import torch

a = np.ones(2, dtype=np.float32)
t = torch.from_numpy(a)
w = torch.ones(2, requires_grad=True)
y = (w * t).sum()
a *= 10
y.backward()

#: run.finished and run.end.values("w.grad") == [10.0, 10.0]
#: written = run.after("a *= 10")
#: (written.values("t"), written.version("t"), written.values("y")) == ([10.0, 10.0], 0, [2.0])
#: saved = written.saved("MulBackward0", "other")
#: (saved.tensor, saved.state, saved.overwritten) == ("t", "overwritten", "a *= 10")
#: (write,) = run.writes("a *= 10")
#: (write.operator, write.tensor, write.version_counter) == (None, None, None)
