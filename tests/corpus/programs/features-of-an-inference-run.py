# thread: https://github.com/snowflakedb/ArcticTraining/pull/265
# kind: broken
# ends: RuntimeError at line 14
# says: Inference tensors cannot be saved for backward
# finding: `cached` was made under `torch.inference_mode()` (line 8), and the layer on line 14 must save it for backward.
#   Use `torch.no_grad()` for what is trained on later.
# culprit: 8
# victim: 14
# repair: line 8: @torch.no_grad()
# repaired: probe.weight.grad.shape == probe.weight.shape

import torch
from torch import nn

torch.manual_seed(14)
backbone, probe = nn.Linear(4, 3), nn.Linear(3, 2)


@torch.inference_mode()
def evaluate(x):
    return backbone(x).relu()


cached = evaluate(torch.rand(5, 4))
loss = probe(cached).pow(2).mean()
loss.backward()
