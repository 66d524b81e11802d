# thread: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/66
# kind: silently wrong
# ends: finished
# fact: abs(soft.item()) < 1e-6 and not soft.requires_grad
# finding: `soft_guess` is computed from the teacher's logits (line 13), so `soft` is always 0 and has no graph;
#   backward (line 17) trains `small` on the labels only. Compute it from `output`.
# culprit: 13
# victim: 17
# repair: line 13: soft_guess = F.log_softmax(output / 5.0, dim=-1)
# repaired: soft.item() > 0 and soft.requires_grad

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(408)
large, small = nn.Linear(5, 4), nn.Linear(5, 4)
opt = torch.optim.SGD(small.parameters(), lr=0.1)
x, y = torch.rand(6, 5), torch.randint(0, 4, (6,))
with torch.no_grad():
    large_logits = large(x)
output = small(x)
soft_targets = F.softmax(large_logits / 5.0, dim=-1)
soft_guess = F.log_softmax(large_logits / 5.0, dim=-1)
soft = F.kl_div(soft_guess, soft_targets, reduction="batchmean")
loss = 25 * soft + F.cross_entropy(output, y)
opt.zero_grad()
loss.backward()
opt.step()
