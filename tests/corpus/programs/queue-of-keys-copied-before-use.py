# thread: https://github.com/facebookresearch/moco/issues/128
# kind: ordinary
# ends: finished
# fact: query_net.weight.grad is not None and place == 0
# finding: none

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(38)
query_net, key_net = nn.Linear(4, 3), nn.Linear(4, 3).requires_grad_(False)
queue, place = F.normalize(torch.randn(3, 6), dim=0), 0
for batch in torch.rand(3, 2, 4):
    query = F.normalize(query_net(batch), dim=1)
    with torch.no_grad():
        keys = F.normalize(key_net(batch), dim=1)
    scores = torch.cat([(query * keys).sum(1, keepdim=True), query @ queue.clone().detach()], 1)
    queue[:, place : place + 2] = keys.T
    place = (place + 2) % 6
    F.cross_entropy(scores / 0.1, torch.zeros(2, dtype=torch.long)).backward()
