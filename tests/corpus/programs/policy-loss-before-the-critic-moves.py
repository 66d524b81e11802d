# thread: https://github.com/toshikwa/soft-actor-critic.pytorch/issues/1
# kind: broken
# ends: RuntimeError at line 20
# says: modified by an inplace operation
# finding: The actor's loss (line 12) goes through the critic, and the critic's optimizer changes its weights on line 17
#   before the actor's backward (line 20). Compute the actor's loss after the critic's step.
# culprit: 17
# victim: 20
# repair: without 12
# repair: after 17: actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
# repaired: actor[0].weight.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(6)
actor = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
critic = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt_actor = torch.optim.SGD(actor.parameters(), lr=0.1)
opt_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
state, action, target = torch.rand(4, 3), torch.rand(4, 2), torch.rand(4, 1)

critic_loss = (critic(torch.cat([state, action], 1)) - target).pow(2).mean()
actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()

# The critic first.
opt_critic.zero_grad()
critic_loss.backward()
opt_critic.step()
# Then the actor.
opt_actor.zero_grad()
actor_loss.backward()
opt_actor.step()
