# thread: https://github.com/pytorch/functorch/issues/105
# kind: broken
# ends: RuntimeError at line 11, called from line 15
# says: vmap
# finding: `half` (line 10) is one tensor for all samples, and `vmap` runs `features` for four samples at once, so
#   their values do not fit into it (line 11). Use the slice itself, or `maps.new_zeros`.
# culprit: 10
# victim: 11
# repair: without 10
# repair: line 11: half = maps[:, ::2, ::2]
# repaired: slopes['weight'].shape == (4, 2, 1, 3, 3)

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(305)
conv = nn.Conv2d(1, 2, 3, padding=1)

def features(params, image):
    maps = functional_call(conv, params, (image.unsqueeze(0),))[0]
    half = torch.zeros(2, 3, 3)
    half.copy_(maps[:, ::2, ::2])
    return half.relu().sum()

params = {name: p.detach() for name, p in conv.named_parameters()}
slopes = vmap(grad(features), in_dims=(None, 0))(params, torch.rand(4, 1, 6, 6))
