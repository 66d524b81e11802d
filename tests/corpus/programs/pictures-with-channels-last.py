# thread: https://github.com/LeeJunHyun/Image_Segmentation/issues/29
# kind: broken
# ends: RuntimeError at line 7
# says: expected input[2, 16, 16, 3] to have 3 channels, but got 16 channels instead
# finding: `Conv2d` reads dimension 1 as channels and wants 3 of them; `batch` has shape [2, 16, 16, 3], with its
#   channels last. Move them with `permute(0, 3, 1, 2)`.
# culprit: 5
# victim: 7
# repair: line 7: edges = scan(batch.permute(0, 3, 1, 2))
# repaired: list(edges.shape) == [2, 8, 14, 14]

import numpy as np
import torch

scan = torch.nn.Conv2d(3, 8, 3)
pictures = np.zeros((2, 16, 16, 3), dtype=np.float32)
batch = torch.from_numpy(pictures)
edges = scan(batch)
