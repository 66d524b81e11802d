# thread: https://github.com/pytorch/vision/issues/680
# kind: silently wrong
# ends: finished
# fact: digits.images.abs().max().item() > 5
# finding: self.images[index] on line 20 is a view of the data set, and the transform on line 9 writes it in place, so the second
#   epoch normalizes images that are normalized already, and the third once more. Normalize without writing: (image - 0.5) / 0.25.
# culprit: 9
# victim: 20
# repair: line 9: return (image - 0.5) / 0.25
# repaired: digits.images.min().item() >= 0 and digits.images.max().item() <= 1

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Normalize:
    def __call__(self, image):
        return image.sub_(0.5).div_(0.25)


class Digits(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


torch.manual_seed(0)
digits = Digits(torch.rand(6, 4), torch.tensor([0, 1, 0, 1, 0, 1]), Normalize())
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for image, label in [batch for epoch in range(3) for batch in DataLoader(digits, batch_size=3)]:
    optimizer.zero_grad()
    F.cross_entropy(net(image), label).backward()
    optimizer.step()
