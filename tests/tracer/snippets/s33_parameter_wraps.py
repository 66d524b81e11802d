# Parameter wraps without copying.
import torch

t = torch.ones(2)
p = torch.nn.Parameter(t)
t[0] = 9

#: run.finished and run.end.values("p") == [9.0, 1.0]
#: run.end.same_storage("t", "p") and run.end.same_counter("t", "p") and run.end.base("p") is None
#: (run.end.version("t"), run.end.version("p")) == (1, 1)
