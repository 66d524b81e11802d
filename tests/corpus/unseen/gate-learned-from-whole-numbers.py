# thread: https://learn.biosrag.com/ai/experiences/mismatch-long-and-float.html
# kind: broken
# ends: RuntimeError at line 11
# says: must have the same dtype
# finding: `rows` (line 4) is made of whole numbers, so its dtype is int64, and the weight of the first layer is float32; a linear
#   layer does not convert (line 11). Write `dtype=torch.float` on line 4.
# culprit: 4
# victim: 11
# repair: line 4: rows = torch.tensor([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=torch.float)
# repair: line 5: truth = torch.tensor([[1], [1], [0], [0]], dtype=torch.float)
# repaired: gate[0].weight.grad is not None

import torch
import torch.nn as nn

rows = torch.tensor([[1, 0], [0, 1], [1, 1], [0, 0]])
truth = torch.tensor([[1], [1], [0], [0]])

torch.manual_seed(801)
gate = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(gate.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.mse_loss(gate(rows), truth)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
