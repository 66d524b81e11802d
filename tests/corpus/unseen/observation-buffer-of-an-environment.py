# thread: https://github.com/Farama-Foundation/SuperSuit/pull/116
# kind: silently wrong
# ends: finished
# fact: abs(policy.weight.grad[0, 0].item() - 0.5158) < 1e-3
# finding: Every state shares memory with env.place, which line 11 overwrites through NumPy: at line 28 all four steps of the
#   policy use the last observation instead of their own, and no version counter tells. Return a copy from step.
# culprit: 11
# victim: 28
# repair: line 12: return self.place.copy(), float(self.place.sum())
# repair: line 19: state = torch.from_numpy(env.place.copy())
# repaired: abs(policy.weight.grad[0, 0].item() - 0.1874) < 1e-3

import numpy as np
import torch
from torch import nn


class Walk:
    def __init__(self):
        self.place = np.ones(2, dtype=np.float32)

    def step(self, action):
        self.place *= 1.5 if action else 0.5
        return self.place, float(self.place.sum())


torch.manual_seed(0)
env, policy = Walk(), nn.Linear(2, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
log_probs, rewards = [], []
state = torch.from_numpy(env.place)
for t in range(4):
    log_prob = policy(state).log_softmax(0)
    observation, reward = env.step(t % 2)
    log_probs.append(log_prob[t % 2])
    rewards.append(reward)
    state = torch.from_numpy(observation)
optimizer.zero_grad()
loss = -(torch.stack(log_probs) * torch.tensor(rewards)).sum()
loss.backward()
optimizer.step()
print(policy.weight.grad)
