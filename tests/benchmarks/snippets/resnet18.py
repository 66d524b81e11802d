"""ResNet-18, forward and backward; batch 2, images of 64 x 64."""

from time import process_time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width_in, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = nn.Sequential()
        if width != width_in:
            self.downsample = nn.Sequential(nn.Conv2d(width_in, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        out = self.bn1(self.conv1(x)).relu()
        out = self.bn2(self.conv2(out))
        return (out + self.downsample(x)).relu()


model = nn.Sequential(
    nn.Conv2d(3, 64, 7, 2, 3, bias=False),
    nn.BatchNorm2d(64),
    nn.ReLU(),
    nn.MaxPool2d(3, 2, 1),
    *[Block(64, 64, 1), Block(64, 64, 1)],
    *[Block(64, 128, 2), Block(128, 128, 1)],
    *[Block(128, 256, 2), Block(256, 256, 1)],
    *[Block(256, 512, 2), Block(512, 512, 1)],
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(512, 10),
)
x = torch.rand(2, 3, 64, 64)
target = torch.tensor([1, 2])

clock = [process_time()]
y = model(x)
clock.append(process_time())
loss = nn.functional.cross_entropy(y, target)
loss.backward()
clock.append(process_time())
