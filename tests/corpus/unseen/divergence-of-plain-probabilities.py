# thread: https://github.com/microsoft/ProDA/issues/20
# kind: silently wrong
# ends: finished
# fact: loss.item() < 0
# finding: `kl_div` (line 12) expects log-probabilities as its input, and `guess` (line 11) holds probabilities, so
#   the loss is not the divergence: it is negative. Use `log_softmax`.
# culprit: 11
# victim: 12
# repair: line 11: guess = F.log_softmax(student(x), dim=1)
# repaired: loss.item() >= 0

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(402)
student, teacher = nn.Linear(5, 4), nn.Linear(5, 4).requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for x in torch.rand(3, 6, 5):
    with torch.no_grad():
        wanted = F.softmax(teacher(x), dim=1)
    guess = F.softmax(student(x), dim=1)
    loss = F.kl_div(guess, wanted, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
