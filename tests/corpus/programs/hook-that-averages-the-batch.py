# thread: https://github.com/TransformerLensOrg/TransformerLens/issues/1160
# kind: broken
# ends: RuntimeError at line 13
# says: has changed the size of value
# finding: The hook (line 7) returns a gradient of shape [3] for `stream`, whose shape is [4, 3]. A hook that looks
#   returns nothing; one that replaces the gradient keeps its shape.
# culprit: 7
# victim: 13
# repair: line 7: return slope.mean(0).expand_as(slope)
# repaired: start.grad.shape == start.shape

import torch

seen = []

def average(slope):
    seen.append(slope.abs().max().item())
    return slope.mean(0)

start = torch.ones(4, 3, requires_grad=True)
stream = start * 2
stream.register_hook(average)
loss = (stream ** 2).sum()
loss.backward()
