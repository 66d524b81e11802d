# thread: https://github.com/Lightning-AI/pytorch-lightning/issues/501
# kind: broken
# ends: RuntimeError at line 10, called from line 13
# says: Boolean value of Tensor with more than one value is ambiguous
# finding: `nn.CrossEntropyLoss` is a class; line 10 gives it the tensors as its settings. Create it first,
#   `nn.CrossEntropyLoss()(y_hat, y)`, or call `nn.functional.cross_entropy`.
# culprit: 10
# victim: 10
# repair: line 10: loss = nn.functional.cross_entropy(y_hat, y)
# repaired: model[0].weight.grad is not None

import torch
from torch import nn

torch.manual_seed(304)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
x, y = torch.randn(4, 5), torch.tensor([0, 2, 1, 1])

def training_step(x, y):
    y_hat = model(x)
    loss = nn.CrossEntropyLoss(y_hat, y)
    return {"loss": loss}

training_step(x, y)["loss"].backward()
