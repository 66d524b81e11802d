# thread: https://github.com/pytorch/pytorch/issues/95110
# kind: broken
# ends: RuntimeError at line 8
# says: floating point and complex dtype can require gradients
# finding: `torch.max` gives integer indices (line 7), which are not differentiable and cannot require grad (line 8).
#   Take an expected value under softmax.
# culprit: 7
# victim: 8
# repair: line 7: predicted = scores.softmax(1) @ torch.arange(5.0)
# repair: without 8
# repaired: net.weight.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(309)
net, ages = nn.Linear(4, 5), torch.tensor([1.0, 4.0, 2.0])
scores = net(torch.rand(3, 4))
_, predicted = torch.max(scores, 1)
predicted.requires_grad = True
loss = nn.functional.l1_loss(predicted, ages)
loss.backward()
