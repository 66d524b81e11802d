# thread: https://github.com/pytorch/rl/issues/1935
# kind: broken
# ends: RuntimeError at line 12, called from line 15
# says: called random operation while in randomness error mode
# finding: `Dropout` of line 6 draws random numbers, and `vmap` (line 15) forbids that unless it is told whether the draws
#   are the same for all samples, so the call on line 12 raises. Pass `randomness="different"`.
# culprit: 15
# victim: 12
# repair: line 15: now, later = vmap(value, randomness="different")(params, states)
# repaired: advantage.shape == (6, 1)

import torch
from torch import nn
from torch.func import functional_call, vmap

torch.manual_seed(501)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Dropout(0.2), nn.Linear(16, 1))
params = {name: torch.stack([p.detach(), p.detach()]) for name, p in critic.named_parameters()}
states = torch.randn(2, 6, 4)


def value(params, states):
    return functional_call(critic, params, (states,))


now, later = vmap(value)(params, states)
advantage = 1.0 + 0.9 * later - now
