# thread: https://docs.pytorch.org/docs/stable/amp.html
# kind: ordinary
# ends: finished
# fact: model[0].weight.dtype == torch.float32 and out.dtype == torch.bfloat16
# finding: none

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(111)
model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.LayerNorm(12), nn.Linear(12, 3))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-2, total_steps=4)
loader = DataLoader(TensorDataset(torch.randn(16, 6), torch.randint(0, 3, (16,))), batch_size=4, shuffle=True)
accumulate, history = 2, []
opt.zero_grad(set_to_none=True)
for epoch in range(2):
    for i, (x, y) in enumerate(loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
            loss = nn.functional.cross_entropy(out, y) / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad(set_to_none=True)
        history.append(loss.item() * accumulate)
