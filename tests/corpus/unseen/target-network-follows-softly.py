# thread: https://codefrydev.in/Reinforcement/curriculum/volume-03/chapter-05
# kind: ordinary
# ends: finished
# fact: all(p.grad is None for p in target.parameters())
# finding: none

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2))
target = copy.deepcopy(online)
optimizer = torch.optim.Adam(online.parameters(), lr=0.01)


def follow(tau=0.05):
    for slow, fast in zip(target.parameters(), online.parameters()):
        slow.data.copy_(tau * fast.data + (1 - tau) * slow.data)


for state, after in torch.randn(3, 2, 5, 3):
    action, reward = torch.randint(0, 2, (5, 1)), torch.rand(5)
    chosen = online(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        wanted = reward + 0.9 * target(after).max(1).values
    loss = F.smooth_l1_loss(chosen, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(online.parameters(), 100)
    optimizer.step()
    follow()
print(loss.item())
