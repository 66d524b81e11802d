# thread: https://docs.pytorch.org/tutorials/_sources/advanced/neural_style_tutorial.rst.txt
# kind: ordinary
# ends: finished
# fact: picture.min().item() >= 0 and picture.max().item() <= 1 and runs[0] > 1
# finding: none

import torch
from torch import nn

torch.manual_seed(35)
look = nn.Conv2d(3, 4, 3).requires_grad_(False)
style = look(torch.rand(1, 3, 8, 8)).flatten(2).detach()
picture, runs = torch.rand(1, 3, 8, 8, requires_grad=True), [0]
opt = torch.optim.LBFGS([picture], max_iter=4)


def closure():
    with torch.no_grad():
        picture.clamp_(0, 1)
    opt.zero_grad()
    seen = look(picture).flatten(2)
    loss = nn.functional.mse_loss(seen @ seen.transpose(1, 2), style @ style.transpose(1, 2))
    loss.backward()
    runs[0] += 1
    return loss


opt.step(closure)
with torch.no_grad():
    picture.clamp_(0, 1)
