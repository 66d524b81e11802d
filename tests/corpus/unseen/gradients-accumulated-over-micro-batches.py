# thread: https://github.com/huggingface/transformers/issues/986
# kind: ordinary
# ends: finished
# fact: all(p.grad is None for p in net.parameters())
# finding: none

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=3)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,))), batch_size=4)
accumulate, running = 2, 0.0
for number, (x, y) in enumerate(loader, start=1):
    loss = F.cross_entropy(net(x), y) / accumulate
    loss.backward()
    running += loss.item()
    if number % accumulate == 0:
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
print(running)
