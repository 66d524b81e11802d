# thread: https://discuss.pytorch.org/t/pytorch-runtimeerror-trying-to-backward-through-the-graph-a-second-time/191396
# kind: broken
# ends: RuntimeError at line 25
# says: Trying to backward through the graph a second time
# fact: policy.weight.grad is None
# finding: Line 13 already ran backward through critic's graph and freed its saved tensors, but the advantages returned on line 15
#   still belong to that graph, so line 25 goes through it a second time. The advantages are meant as constants here: detach them.
# culprit: 13
# victim: 25
# repair: line 15: return advantage.detach()
# repaired: abs(policy.weight.grad[0, 1].item() - 0.3920) < 1e-3

import torch
from torch import nn

torch.manual_seed(0)
critic, policy = nn.Linear(3, 1), nn.Linear(3, 2)
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
policy_optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)


def learn_value(state, target):
    advantage = target - critic(state)
    critic_optimizer.zero_grad()
    advantage.pow(2).mean().backward()
    critic_optimizer.step()
    return advantage


chosen, advantages = [], []
for _ in range(3):
    state = torch.randn(4, 3)
    advantages.append(learn_value(state, torch.ones(4, 1)))
    chosen.append(policy(state).log_softmax(1)[:, :1])
objective = -(torch.cat(chosen) * torch.cat(advantages)).mean()
policy_optimizer.zero_grad()
objective.backward()
policy_optimizer.step()
print(policy.weight.grad)
