# thread: https://github.com/guopengf/FL-MRCM/issues/10
# kind: silently wrong
# ends: finished
# fact: isinstance(adversarial, float)
# finding: `adversarial` is a number (`item()`, line 12), so that part of the loss is a constant and backward (line
#   16) gives `net` the gradient of `pixel` only. Keep the tensor, and call `item()` where it is logged.
# culprit: 12
# victim: 16
# repair: line 12: adversarial = nn.functional.binary_cross_entropy_with_logits(seen, torch.ones_like(seen))
# repair: line 13: history.append(adversarial.item())
# repaired: adversarial.requires_grad and isinstance(history[0], float)

import torch
from torch import nn

torch.manual_seed(406)
net, judge = nn.Linear(4, 4), nn.Linear(4, 1).requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
history = []
for scan in torch.rand(3, 5, 4):
    rebuilt = net(scan)
    pixel = (rebuilt - scan).abs().mean()
    seen = judge(rebuilt)
    adversarial = nn.functional.binary_cross_entropy_with_logits(seen, torch.ones_like(seen)).detach().item()
    history.append(adversarial)
    loss = pixel + 0.5 * adversarial
    opt.zero_grad()
    loss.backward()
    opt.step()
