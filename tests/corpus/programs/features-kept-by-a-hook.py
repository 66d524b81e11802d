# thread: https://web.stanford.edu/~nanbhas/blog/forward-hooks-pytorch/
# kind: ordinary
# ends: finished
# fact: features["middle"].grad_fn is None and model[0].weight.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(37)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
features = {}


def keep(name):
    def hook(module, inputs, output):
        features[name] = output.detach()

    return hook


handle = model[1].register_forward_hook(keep("middle"))
model(torch.rand(5, 3)).sum().backward()
handle.remove()
