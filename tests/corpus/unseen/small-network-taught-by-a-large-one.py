# thread: https://nn.labml.ai/distillation/index.html
# kind: ordinary
# ends: finished
# fact: all(p.grad is None for p in large.parameters()) and kept['hard'] > 0 and small[0].weight.grad is not None
# finding: none

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Meter(dict):
    def add(self, **values):
        for name, value in values.items():
            self[name] = self.get(name, 0.0) + value.detach().item()

torch.manual_seed(210)
large = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.3), nn.Linear(24, 4))
small = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
data = DataLoader(TensorDataset(torch.randn(10, 6), torch.randint(0, 4, (10,))), batch_size=5, shuffle=True)
teach = torch.optim.Adam(large.parameters(), lr=1e-2)
for x, y in data:
    teach.zero_grad()
    F.cross_entropy(large(x), y).backward()
    teach.step()
large.eval().requires_grad_(False)
large.zero_grad(set_to_none=True)
opt, temperature, kept = torch.optim.Adam(small.parameters(), lr=1e-2), 3.0, Meter()
for epoch in range(2):
    small.train()
    for x, y in data:
        with torch.no_grad():
            wanted = large(x)
        logits = small(x)
        soft = F.kl_div(F.log_softmax(logits / temperature, -1), F.softmax(wanted / temperature, -1), reduction="batchmean")
        hard = F.cross_entropy(logits, y)
        loss = 0.9 * temperature**2 * soft + 0.1 * hard
        opt.zero_grad()
        loss.backward()
        opt.step()
        kept.add(soft=soft, hard=hard, accuracy=(logits.argmax(-1) == y).float().mean())
