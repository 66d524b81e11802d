# thread: https://github.com/yaoyugua/FastGradientSignMethod
# kind: ordinary
# ends: finished
# fact: attacked.requires_grad is False and after.item() > loss.item()
# finding: none

import torch
from torch import nn

torch.manual_seed(36)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3)).eval()
picture, label = torch.rand(1, 1, 4, 4), torch.tensor([2])
picture.requires_grad = True
loss = nn.functional.cross_entropy(model(picture), label)
model.zero_grad()
loss.backward()
slope = picture.grad.data
attacked = torch.clamp(picture.detach() + 0.1 * slope.sign(), 0, 1)
after = nn.functional.cross_entropy(model(attacked), label)
