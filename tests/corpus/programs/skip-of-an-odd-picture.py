# thread: https://github.com/bigmb/Unet-Segmentation-Pytorch-Nest-of-Unets/issues/52
# kind: broken
# ends: RuntimeError at line 14, called from line 19
# says: Sizes of tensors must match except in dimension 1
# finding: `torch.cat` on line 14 joins `fine` of shape [1, 4, 15, 15] with `wide` of shape [1, 4, 14, 14]: dimensions 2
#   and 3 disagree. Pooling 15 pixels by 2 (line 12) gives 7, and doubling them gives 14.
# culprit: 12
# victim: 14
# repair: line 13: wide = nn.functional.interpolate(coarse, size=fine.shape[2:])
# repaired: list(mask.shape) == [1, 2, 15, 15]

import torch
from torch import nn


class TinyUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        fine = self.inner(x).relu()
        coarse = nn.functional.max_pool2d(fine, 2)
        wide = nn.functional.interpolate(coarse, scale_factor=2)
        return self.outer(torch.cat([fine, wide], dim=1))


torch.manual_seed(12)
picture = torch.rand(1, 3, 15, 15)
mask = TinyUNet()(picture)
