# thread: https://github.com/AI-secure/DBA/issues/1
# kind: broken
# ends: RuntimeError at line 10
# says: result type Float can't be cast to the desired output type
# finding: `num_batches_tracked` of the BatchNorm is a whole number (int64); line 10 adds a fraction of it in place, which
#   int64 cannot hold. Average floating-point entries only.
# culprit: 10
# victim: 10
# repair: line 10: if value.is_floating_point(): value.add_(0.5 * (there[name] - value))
# repaired: round(shared["0.bias"].sum().item(), 4) == round(0.5 * sum(n[0].bias.sum().item() for n in (site_a, site_b)), 4)

import copy

import torch
from torch import nn

torch.manual_seed(16)
site_a, site_b = (nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)) for _ in range(2))
shared, there = copy.deepcopy(site_a.state_dict()), site_b.state_dict()
for name, value in shared.items():
    value.add_(0.5 * (there[name] - value))
