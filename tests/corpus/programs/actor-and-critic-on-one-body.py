# thread: https://github.com/pytorch/examples/blob/main/reinforcement_learning/actor_critic.py
# kind: ordinary
# ends: finished
# fact: len(policy.chosen) == 0 and policy.critic.weight.grad is not None
# finding: none

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)
        self.chosen, self.rewards = [], []

    def forward(self, state):
        hidden = F.relu(self.body(state))
        return F.softmax(self.actor(hidden), dim=-1), self.critic(hidden)

torch.manual_seed(101)
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=0.03)
for episode in range(2):
    state = torch.randn(4)
    for _ in range(3):
        chances, value = policy(state)
        pick = Categorical(chances)
        action = pick.sample()
        policy.chosen.append((pick.log_prob(action), value))
        policy.rewards.append(float(action))
        state = state + 0.1 * torch.randn(4)
    total, returns = 0.0, []
    for reward in policy.rewards[::-1]:
        total = reward + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    actor_losses = [-log_prob * (ret - value.item()) for (log_prob, value), ret in zip(policy.chosen, returns)]
    critic_losses = [F.smooth_l1_loss(value, ret.unsqueeze(0)) for (_, value), ret in zip(policy.chosen, returns)]
    opt.zero_grad()
    loss = torch.stack(actor_losses).sum() + torch.stack(critic_losses).sum()
    loss.backward()
    opt.step()
    del policy.rewards[:], policy.chosen[:]
