# thread: https://github.com/shubhamagarwal92/mmd/issues/14
# kind: silently wrong
# ends: finished
# fact: not model.training
# finding: `evaluate` calls `model.eval()` (line 9) and nothing calls `model.train()` after it, so from the third step
#   on Dropout is off in training (line 16). Call `model.train()` in each step.
# culprit: 9
# victim: 16
# repair: before 16: model.train()
# repaired: score > 0

import torch
from torch import nn

torch.manual_seed(405)
model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)

def evaluate(x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(x), y).item()

model.train()
for step in range(4):
    x, y = torch.randn(3, 4), torch.randint(0, 2, (3,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2 == 1:
        score = evaluate(x, y)
