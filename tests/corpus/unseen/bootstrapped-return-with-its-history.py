# thread: https://github.com/PacktPublishing/Deep-Reinforcement-Learning-Hands-On-Second-Edition/issues/60
# kind: silently wrong
# ends: finished
# fact: from_policy is not None
# finding: `returns` comes from the value head and keeps its graph (line 13); `advantage` detaches the values but not
#   the returns (line 21), so the policy's loss also changes the value head (line 23). Detach the whole difference.
# culprit: 13
# victim: 23
# repair: line 21: advantage = (returns - values).detach()
# repaired: from_policy is None

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(407)
body, policy, value = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)

def net(states):
    hidden = torch.relu(body(states))
    return policy(hidden), value(hidden).squeeze(-1)

def unpack(rewards, last_states):
    last_values = net(last_states)[1]
    return rewards + 0.9 * last_values

states, last_states, rewards = torch.rand(5, 4), torch.rand(5, 4), torch.rand(5)
actions = torch.tensor([0, 1, 1, 0, 1])
returns = unpack(rewards, last_states)
logits, values = net(states)
value_loss = F.mse_loss(values, returns.detach())
advantage = returns - values.detach()
policy_loss = -(advantage * F.log_softmax(logits, 1)[range(5), actions]).mean()
policy_loss.backward(retain_graph=True)
from_policy = value.weight.grad
value_loss.backward()
