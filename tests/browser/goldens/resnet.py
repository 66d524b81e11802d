import torch
from torch import nn
torch.use_deterministic_algorithms(True)  # also fills uninitialised memory


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(2, 2, 1), nn.Conv2d(2, 2, 1)
        self.norm = nn.BatchNorm2d(2)

    def forward(self, x):
        return (x + self.two(self.norm(self.one(x)).relu())).relu()


model = nn.Sequential(Block(), Block(), Block(), Block(), Block(), nn.Flatten(), nn.Linear(8, 1))
model(torch.ones(1, 2, 2, 2)).mean().backward()
