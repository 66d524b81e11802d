# thread: https://github.com/pytorch/pytorch/issues/140469
# kind: broken
# ends: ValueError at line 5
# says: can't optimize a non-leaf Tensor
# finding: `images` is the result of a multiplication (line 4) and not a leaf, so an optimizer cannot hold it. Scale
#   first, then ask for gradients.
# culprit: 4
# victim: 5
# repair: line 4: images = (torch.randn(2, 3, 4, 4) * 0.01).requires_grad_()
# repaired: images.is_leaf and images.grad.shape == images.shape

import torch

torch.manual_seed(9)
images = torch.randn(2, 3, 4, 4, requires_grad=True) * 0.01
opt = torch.optim.SGD([images], lr=0.5)
images.pow(2).sum().backward()
opt.step()
