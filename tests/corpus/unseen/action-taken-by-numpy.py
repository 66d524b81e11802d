# thread: https://github.com/huggingface/deep-rl-class/issues/582
# kind: broken
# ends: ValueError at line 15, called from line 18
# says: The value argument to log_prob must be a Tensor
# finding: `np.argmax` (line 14) gives a NumPy integer, and `log_prob` takes a Tensor only (line 15). Draw the action with
#   `m.sample()`, which a policy gradient needs anyway.
# culprit: 14
# victim: 15
# repair: line 14: action = m.sample()
# repaired: policy.weight.grad is not None

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(807)
policy = nn.Linear(4, 2)


def act(state):
    probabilities = torch.softmax(policy(torch.from_numpy(state).float()), dim=-1)
    m = Categorical(probabilities)

    action = np.argmax(probabilities.detach().numpy())
    return int(action), m.log_prob(action)


action, log_probability = act(np.array([0.1, -0.2, 0.3, 0.4]))
loss = -log_probability * 1.5
loss.backward()
