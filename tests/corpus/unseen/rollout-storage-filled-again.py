# thread: https://github.com/ikostrikov/pytorch-a2c-ppo-acktr-gail/issues/243
# kind: ordinary
# ends: finished
# fact: torch.equal(storage.states[0], storage.states[-1])
# fact: actor.weight.grad.abs().sum().item() > 0
# finding: none

import torch
from torch import nn


class Storage:
    def __init__(self, steps):
        self.states, self.actions = torch.zeros(steps + 1, 2), torch.zeros(steps, dtype=torch.long)
        self.rewards, self.returns = torch.zeros(steps), torch.zeros(steps)

    def finish(self, last_value):
        for t in reversed(range(len(self.rewards))):
            last_value = self.returns[t] = self.rewards[t] + 0.9 * last_value


torch.manual_seed(0)
actor, critic, storage = nn.Linear(2, 2), nn.Linear(2, 1), Storage(4)
optimizer = torch.optim.RMSprop([*actor.parameters(), *critic.parameters()], lr=0.01)
for update in range(2):
    with torch.no_grad():
        for t in range(4):
            storage.actions[t] = torch.distributions.Categorical(logits=actor(storage.states[t])).sample()
            storage.states[t + 1].copy_(torch.randn(2))
            storage.rewards[t] = storage.states[t + 1, storage.actions[t]]
        storage.finish(critic(storage.states[-1])[0])
    advantage = storage.returns - critic(storage.states[:-1]).squeeze(1)
    log_prob = torch.distributions.Categorical(logits=actor(storage.states[:-1])).log_prob(storage.actions)
    optimizer.zero_grad()
    (advantage.pow(2) - advantage.detach() * log_prob).mean().backward()
    optimizer.step()
    storage.states[0].copy_(storage.states[-1])
