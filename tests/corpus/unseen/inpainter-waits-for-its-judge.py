# thread: https://github.com/knazeri/edge-connect/issues/188
# kind: broken
# ends: RuntimeError at line 25
# says: modified by an inplace operation
# finding: The generator's loss goes through the judge (line 17), and `dis_opt.step()` (line 24) changes the judge's
#   weights before `gen_loss.backward()` (line 25). Call both backward passes before the steps, or compute the
#   generator's loss after the judge's step.
# culprit: 24
# victim: 25
# repair: longer: The generator's loss is computed after the judge's step, in a function of its own.

import torch
from torch import nn

torch.manual_seed(308)
generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
judge = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
gen_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
dis_opt = torch.optim.Adam(judge.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()

def process(masked, whole):
    gen_opt.zero_grad()
    dis_opt.zero_grad()
    filled = generator(masked)
    real, fake = judge(whole), judge(filled.detach())
    dis_loss = bce(real, torch.ones_like(real)) + bce(fake, torch.zeros_like(fake))
    seen = judge(filled)
    gen_loss = bce(seen, torch.ones_like(seen)) + (filled - whole).abs().mean()
    return gen_loss, dis_loss

for masked, whole in torch.rand(2, 2, 3, 4):
    gen_loss, dis_loss = process(masked, whole)
    dis_loss.backward()
    dis_opt.step()
    gen_loss.backward()
    gen_opt.step()
