# thread: https://github.com/zhuangdizhu/FedGen/issues/1
# kind: broken
# ends: RuntimeError at line 9
# says: Can't call numpy() on Tensor that requires grad
# finding: `losses` holds tensors with their graphs (line 8), and `np.sum` on line 9 needs them as arrays. Keep numbers:
#   `.item()`.
# culprit: 8
# victim: 9
# repair: line 8: losses = [nn.functional.mse_loss(model(x), x).item() for x in sites]
# repaired: isinstance(float(mean), float)

import numpy as np
import torch
from torch import nn

torch.manual_seed(18)
model, sites = nn.Linear(2, 2), [torch.ones(3, 2), torch.ones(5, 2)]
sizes = [len(site) for site in sites]
losses = [nn.functional.mse_loss(model(x), x) for x in sites]
mean = np.sum([n * loss for n, loss in zip(sizes, losses)]) / sum(sizes)
