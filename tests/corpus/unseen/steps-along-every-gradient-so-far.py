# thread: https://github.com/wenet-e2e/wekws/pull/73
# kind: silently wrong
# ends: finished
# fact: model.weight.grad is not None
# finding: The gradients are never set to zero after `opt.step()` (line 15), so each backward (line 13) adds to the
#   sum of all batches before it. Call `opt.zero_grad()`.
# culprit: 15
# victim: 13
# repair: after 15: opt.zero_grad()
# repaired: model.weight.grad is None

import torch
from torch import nn

torch.manual_seed(404)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.05)

def train_epoch(batches):
    model.train()
    for features, words in batches:
        logits = model(features)
        loss = nn.functional.cross_entropy(logits, words)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
    return loss.item()

batches = [(torch.randn(3, 4), torch.randint(0, 2, (3,))) for _ in range(3)]
last = train_epoch(batches)
