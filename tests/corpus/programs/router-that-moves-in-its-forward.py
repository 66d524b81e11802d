# thread: https://github.com/pytorch/torchtitan/issues/1117
# kind: broken
# ends: torch.utils.checkpoint.CheckpointError at line 17
# says: different metadata
# finding: The forward pass changes `load` (line 12), and the checkpoint runs it again in backward, so the second run
#   picks other rows than the first. What is checkpointed must compute the same twice.
# culprit: 12
# victim: 17
# repair: without 12
# repair: after 17: load.add_(1)
# repaired: expert.weight.grad.abs().sum().item() > 0

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(10)
expert, load = nn.Linear(2, 2), torch.zeros(1)
tokens = torch.tensor([[0.5, 1.0], [1.5, 1.0], [2.5, 1.0]], requires_grad=True)


def route(x):
    chosen = x[x[:, 0] > load]
    load.add_(1)
    return torch.tanh(expert(chosen))


out = checkpoint(route, tokens, use_reentrant=False)
out.sum().backward()
