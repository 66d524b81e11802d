# Tensors that share memory also share memory after they were deep-copied together.
import torch

import copy
m = torch.nn.Linear(2, 2)
n = copy.deepcopy(m)
a, b = m.weight, n.weight
l = copy.deepcopy([a, a.data[:1]])
c, d = l
