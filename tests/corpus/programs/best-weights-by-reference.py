# thread: https://github.com/WenjieDu/PyPOTS/issues/667
# kind: silently wrong
# ends: finished
# fact: best["weight"].data_ptr() == model.weight.data_ptr()
# fact: torch.equal(best["weight"], model.weight)
# finding: `state_dict()` (line 14) gives the Parameters' own memory, so every later step changes `best` too, and line 17
#   loads the weights that are there already. Keep a copy: `copy.deepcopy(model.state_dict())`.
# culprit: 14
# victim: 17
# repair: line 14: lowest, best = error.item(), {name: value.clone() for name, value in model.state_dict().items()}
# repaired: not torch.equal(last, model.weight)

import torch
from torch import nn

torch.manual_seed(22)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=4.0)
x, lowest, best = torch.rand(8, 2), float("inf"), None
for _ in range(4):
    error = (model(x) - 1).pow(2).mean()
    opt.zero_grad()
    error.backward()
    # The weights that gave this error.
    if error.item() < lowest:
        lowest, best = error.item(), model.state_dict()
    opt.step()
last = model.weight.detach().clone()
model.load_state_dict(best)
