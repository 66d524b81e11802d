# thread: https://github.com/sunwuzhou03/reinforcement-learning-lab/issues/1
# kind: silently wrong
# ends: finished
# fact: list(error.shape) == [5, 4]
# finding: log_prob on line 14 has one column per action dimension (5, 4), so line 16 broadcasts it against value (5, 1) and line
#   21 against the critic's (5, 1): the loss averages 20 numbers instead of 5. Sum log_prob over the last dimension, keeping it.
# culprit: 14
# victim: 21
# repair: line 14: log_prob = policy.log_prob(action).sum(1, keepdim=True)
# repaired: list(error.shape) == [5, 1]
# repaired: abs(critic.weight.grad[0, 0].item() - 1.2029) < 1e-3

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor, critic = nn.Linear(3, 4), nn.Linear(3 + 4, 1)
optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)


def soft_target(reward, state, gamma=0.9, alpha=0.2):
    with torch.no_grad():
        policy = Normal(actor(state), 1.0)
        action = policy.sample()
        log_prob = policy.log_prob(action)
        value = critic(torch.cat([state, action], 1))
        return reward + gamma * (value - alpha * log_prob)


state, action, reward, after = torch.randn(5, 3), torch.randn(5, 4), torch.rand(5, 1), torch.randn(5, 3)
for _ in range(2):
    error = critic(torch.cat([state, action], 1)) - soft_target(reward, after)
    optimizer.zero_grad()
    error.pow(2).mean().backward()
    optimizer.step()
print(error.shape, critic.weight.grad)
