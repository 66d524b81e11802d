# thread: https://github.com/huggingface/transformers/pull/6538
# kind: ordinary
# ends: finished
# fact: model.read is not model.write and model.read.weight is model.write.weight and len(list(model.parameters())) == 1
# finding: none

import torch
from torch import nn


class Echo(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.read, self.write = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.write.weight = self.read.weight

    def forward(self, tokens):
        return self.write(self.read(tokens))


torch.manual_seed(44)
model = Echo(7, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
tokens = torch.tensor([1, 4, 4, 6])
nn.functional.cross_entropy(model(tokens), tokens).backward()
opt.step()
