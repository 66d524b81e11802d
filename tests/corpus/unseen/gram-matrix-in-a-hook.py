# thread: https://github.com/ProGamerGov/neural-style-pt/issues/44
# kind: broken
# ends: RuntimeError at line 25
# says: modified by an inplace operation
# fact: picture.grad is None
# finding: The hook on line 17 computes the Gram matrix of a convolution's output, and its product (line 8) saves that output;
#   then ReLU(inplace=True), made on line 12, overwrites it, so line 25 finds another version. Use nn.ReLU().
# culprit: 12
# victim: 25
# repair: line 12: relu = nn.ReLU()
# repaired: picture.grad.abs().sum().item() > 0

import torch
import torch.nn.functional as F
from torch import nn


def gram(maps):
    rows = maps.flatten(1)
    return rows @ rows.t() / rows.numel()


torch.manual_seed(0)
relu = nn.ReLU(inplace=True)
vgg = nn.Sequential(nn.Conv2d(3, 4, 3), relu, nn.Conv2d(4, 5, 3), relu).requires_grad_(False)
grams = []
for layer in vgg:
    if isinstance(layer, nn.Conv2d):
        layer.register_forward_hook(lambda module, inputs, output: grams.append(gram(output[0])))
vgg(torch.rand(1, 3, 8, 8))
style, picture = grams[:], nn.Parameter(torch.rand(1, 3, 8, 8))
optimizer = torch.optim.Adam([picture], lr=0.05)
for _ in range(2):
    grams.clear(), optimizer.zero_grad()
    vgg(picture)
    loss = sum(F.mse_loss(mine, wanted) for mine, wanted in zip(grams, style))
    loss.backward()
    optimizer.step()
print(loss.item())
