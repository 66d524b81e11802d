# thread: https://codingmall.com/knowledge-base/25-global/262245--lang-pt-voc-pode-fornecer-exemplos-de-incompatibilidades-de-tamanho-em-lote-em-pytorch
# kind: broken
# ends: ValueError at line 18
# says: Expected input batch_size (128) to match target batch_size (32)
# finding: Each picture has 8 * 4 * 4 = 128 features, and `view(-1, 32)` (line 12) makes four rows of them, so 32 pictures become
#   128 rows and there are only 32 targets (line 18). Keep the batch: `view(len(x), -1)`, with 128 inputs for `out`.
# culprit: 12
# victim: 18
# repair: line 8: self.out = nn.Linear(128, 24)
# repair: line 12: return self.out(x.view(len(x), -1))
# repaired: net.out.weight.grad.shape == (24, 128)

import torch
from torch import nn

class Letters(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, stride=2)
        self.out = nn.Linear(32, 24)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        return self.out(x.view(-1, 32))

torch.manual_seed(509)
net, criterion = Letters(), nn.CrossEntropyLoss()
pictures, letters = torch.rand(32, 1, 9, 9), torch.randint(0, 24, (32,))
scores = net(pictures)
loss = criterion(scores, letters)
loss.backward()
