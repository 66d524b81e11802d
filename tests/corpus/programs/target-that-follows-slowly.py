# thread: https://docs.ray.io/en/latest/rllib/package_ref/doc/ray.rllib.utils.torch_utils.update_target_network.html
# kind: ordinary
# ends: finished
# fact: not torch.equal(target.weight, main.weight) and target.weight.grad is None
# finding: none

import copy

import torch
from torch import nn

torch.manual_seed(39)
main = nn.Linear(4, 2)
target = copy.deepcopy(main).requires_grad_(False)
opt = torch.optim.Adam(main.parameters(), lr=0.01)
for state, later in zip(torch.rand(3, 5, 4), torch.rand(3, 5, 4)):
    goal = 1 + 0.9 * target(later).max(1).values
    chosen = main(state).gather(1, torch.zeros(5, 1, dtype=torch.long)).squeeze(1)
    opt.zero_grad()
    nn.functional.smooth_l1_loss(chosen, goal).backward()
    opt.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), main.parameters()):
            slow.mul_(0.99).add_(0.01 * fast)
