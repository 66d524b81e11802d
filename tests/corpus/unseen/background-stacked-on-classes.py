# thread: https://github.com/pytorch/pytorch/issues/29510
# kind: broken
# ends: RuntimeError at line 11
# says: stack expects each tensor to be equal size
# finding: `background` is (1, 8, 8) and `classes` (4, 8, 8); `stack` makes a new dimension and needs equal shapes (line 11). To put
#   one after the other along the existing dimension, use `cat`.
# culprit: 11
# victim: 11
# repair: line 11: combined = torch.cat((background, classes), dim=0)
# repaired: combined.shape == (5, 8, 8)

import torch
from torch import nn

torch.manual_seed(813)
head = nn.Conv2d(3, 4, 1)
picture = torch.rand(1, 3, 8, 8)

classes = head(picture)[0]
background = 1 - classes.sigmoid().amax(0, keepdim=True)

combined = torch.stack((background, classes), dim=0)
combined.softmax(0).log().mean().backward()
