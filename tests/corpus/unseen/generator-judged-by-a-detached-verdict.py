# thread: https://github.com/wangle53/CSA-CDGAN/issues/5
# kind: silently wrong
# ends: finished
# fact: adversarial.grad_fn is None and difference.grad_fn is not None
# finding: The verdict is detached on line 18, so `adversarial` is a constant, and backward (line 22) gives the generator the
#   gradient of `difference` only: it never learns from the judge. Leave out `.detach()`.
# culprit: 18
# victim: 22
# repair: line 18: verdict = judge(fake)
# repaired: adversarial.grad_fn is not None

import torch
from torch import nn

torch.manual_seed(513)
bce = nn.BCEWithLogitsLoss()
generator, judge = nn.Linear(4, 4), nn.Linear(4, 1)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-2)
opt_j = torch.optim.Adam(judge.parameters(), lr=1e-2)
ones, zeros = torch.ones(5, 1), torch.zeros(5, 1)
for before, after in torch.rand(3, 2, 5, 4):
    fake = generator(before)

    opt_j.zero_grad()
    judge_loss = bce(judge(after), ones) + bce(judge(fake.detach()), zeros)
    judge_loss.backward()
    opt_j.step()

    verdict = judge(fake).detach()
    adversarial, difference = bce(verdict, ones), (fake - after).abs().mean()
    opt_g.zero_grad()
    loss = difference + 0.5 * adversarial
    loss.backward()
    opt_g.step()
