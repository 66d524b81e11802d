# thread: https://github.com/pytorch/pytorch/issues/68425
# kind: silently wrong
# ends: finished
# fact: value.isfinite().all().item() and x.grad.isnan().tolist() == [False, True]
# finding: `torch.where` on line 4 does not choose `exp(100)`, but backward multiplies its infinite slope by 0, which is
#   NaN. Keep the argument small as well: `torch.exp(x.clamp(max=0))`.
# culprit: 4
# victim: 5
# repair: line 4: value = torch.where(x <= 0, torch.exp(x.clamp(max=0)), 1 + x)
# repaired: [round(slope, 4) for slope in x.grad.tolist()] == [0.3679, 1.0]

import torch

x = torch.tensor([-1.0, 100.0], requires_grad=True)
value = torch.where(x <= 0, torch.exp(x), 1 + x)
value.sum().backward()
