# thread: https://github.com/pytorch/pytorch/issues/80155
# kind: silently wrong
# ends: finished
# fact: bool((picture[..., 0] == 0).all())
# finding: `picture[bright]` (line 6) is a new tensor, a copy of the chosen pixels, so the write goes into the copy and `picture` stays
#   0. Write `picture[..., 0][bright] = 1`, or one index.
# culprit: 6
# victim: 6
# repair: line 6: picture[..., 0][bright] = 1
# repaired: bool((picture[..., 0] == bright.float()).all())

import torch

torch.manual_seed(820)
bright = torch.rand(5, 3) > 0.2
picture = torch.zeros(5, 3, 2)
picture[bright][:, 0] = 1
weight = torch.ones(2, requires_grad=True)
(picture * weight).sum().backward()
print(weight.grad)
