# thread: https://github.com/mrdbourke/pytorch-deep-learning/issues/926
# kind: ordinary
# ends: finished
# fact: [batch[0].item() for batch in batches] == [1.0, 2.0, 3.0]
# finding: none

import numpy as np
import torch

reading = np.arange(1.0, 8.0)
batches = []
for _ in range(3):
    batches.append(torch.from_numpy(reading))
    reading = reading + 1
weight = torch.zeros(7, dtype=torch.double, requires_grad=True)
loss = (torch.stack(batches) @ weight - 1).pow(2).mean()
loss.backward()
