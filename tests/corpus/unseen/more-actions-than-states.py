# thread: https://github.com/pytorch/pytorch/issues/27614
# kind: broken
# ends: RuntimeError at line 20
# says: to be no larger than self
# finding: `states` of the batch has 4 rows (line 16) and `actions` 8 (line 17), so `gather` is asked for rows 4 to 7 that the values
#   do not have (line 20). Take the same rows of both: `actions = memory["actions"][rows]`.
# culprit: 17
# victim: 20
# repair: line 17: actions = memory["actions"][rows]
# repaired: chosen.shape == (4,)

import torch
from torch import nn

torch.manual_seed(805)
value_net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 5))
memory = {
    "states": torch.randn(8, 3),
    "actions": torch.randint(0, 5, (8,)),
    "returns": torch.randn(8),
}


optimizer = torch.optim.Adam(value_net.parameters(), lr=1e-3)
for step in range(2):
    rows = torch.randperm(8)[:4]
    states = memory["states"][rows]
    actions = memory["actions"]
    returns = memory["returns"][rows]
    values = value_net(states)
    chosen = values.gather(1, actions.unsqueeze(1)).squeeze(1)
    loss = nn.functional.smooth_l1_loss(chosen, returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
