# thread: https://github.com/pytorch/pytorch/issues/140802
# kind: broken
# ends: RuntimeError at line 9
# says: shape mismatch: value tensor of shape [4, 5, 3]
# finding: After the mask, `:` is the dimension of 5 and `:3` cuts nothing but it: with one index too few the last dimension keeps 6
#   (line 9), so the place is (4, 3, 6) and the values are (4, 5, 3). Write `x[known, :, :3]`.
# culprit: 9
# victim: 9
# repair: line 9: x[known, :, :3] = news[known]
# repaired: bool((x[0, 0, :, :3] == news[0, 0]).all())

import torch

torch.manual_seed(812)
known = torch.tensor([[True, True, False], [True, False, True]])
scale = torch.ones(3, requires_grad=True)
x = torch.zeros(2, 3, 5, 6)
news = torch.rand(2, 3, 5, 3) * scale

x[known, :3] = news[known]
x.sum().backward()
