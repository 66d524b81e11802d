# thread: https://github.com/naver-ai/StyleMapGAN/issues/16
# kind: broken
# ends: RuntimeError at line 18
# says: backward through the graph a second time
# finding: Both losses go through the same encoding (line 10). The first backward (line 17) frees that part of the
#   graph, so the second one (line 18) fails. Add the losses and call backward once.
# culprit: 17
# victim: 18
# repair: without 17
# repair: line 18: (adversarial + 5 * code_loss).backward()
# repaired: encoder[0].weight.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(302)
encoder = nn.Sequential(nn.Linear(6, 4), nn.Tanh())
decoder, judge = nn.Linear(4, 6), nn.Linear(6, 1)
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)

def losses(photo):
    code = encoder(photo)
    copy = decoder(code)
    return nn.functional.softplus(-judge(copy)).mean(), (encoder(copy) - code).pow(2).mean()

for photo in torch.rand(2, 3, 6):
    adversarial, code_loss = losses(photo)
    opt.zero_grad()
    adversarial.backward()
    (5 * code_loss).backward()
    opt.step()
