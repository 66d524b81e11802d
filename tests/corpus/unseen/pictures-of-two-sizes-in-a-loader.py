# thread: https://github.com/pytorch/pytorch/issues/116558
# kind: broken
# ends: RuntimeError at line 20
# says: stack expects each tensor to be equal size
# finding: `Photos` returns pictures of different sizes (line 12), and the DataLoader stacks the samples of a batch (line 20), which
#   needs equal shapes. Resize or crop in `__getitem__`, or give a `collate_fn`.
# culprit: 12
# victim: 20
# repair: line 12: return torch.rand(3, *self.sizes[i])[:, :6, :6]
# repaired: seen == 2

import torch
from torch.utils.data import DataLoader, Dataset

class Photos(Dataset):
    def __init__(self):
        self.sizes = [(8, 8), (8, 8), (6, 9), (8, 8)]

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        return torch.rand(3, *self.sizes[i])

torch.manual_seed(818)
conv = torch.nn.Conv2d(3, 2, 3)
loader = DataLoader(Photos(), batch_size=2)

seen = 0

for batch in loader:
    conv(batch).mean().backward()
    seen += 1
