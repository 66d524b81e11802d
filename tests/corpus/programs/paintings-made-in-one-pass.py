# thread: https://github.com/pytorch/examples/blob/main/fast_neural_style/neural_style/neural_style.py
# kind: ordinary
# ends: finished
# fact: net[1].weight.grad is not None and all(p.grad is None for p in eyes.parameters())
# finding: none

import torch
from torch import nn

class Eyes(nn.Module):
    def __init__(self):
        super().__init__()
        self.low, self.high = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        for param in self.parameters():
            param.requires_grad = False

    def forward(self, x):
        low = torch.relu(self.low(x))
        return low, torch.relu(self.high(low))

def gram(y):
    b, ch, h, w = y.size()
    features = y.view(b, ch, w * h)
    return features.bmm(features.transpose(1, 2)) / (ch * h * w)

def normalize(batch):
    mean = batch.new_tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
    std = batch.new_tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)
    return (batch.div_(255.0) - mean) / std

torch.manual_seed(107)
net = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Conv2d(4, 3, 1))
eyes, mse, total = Eyes(), nn.MSELoss(), 0.0
opt = torch.optim.Adam(net.parameters(), 1e-3)
wanted = [gram(y) for y in eyes(normalize(torch.rand(1, 3, 6, 6).mul(255).repeat(2, 1, 1, 1)))]
for x in torch.rand(5, 3, 6, 6).mul(255).split(2):
    opt.zero_grad()
    y, x = normalize(net(x)), normalize(x)
    content = 10 * mse(eyes(y)[1], eyes(x)[1])
    style = 0.0
    for seen, aim in zip(eyes(y), wanted):
        style += mse(gram(seen), aim[: len(x), :, :])
    style *= 100
    (content + style).backward()
    opt.step()
    total += content.item() + style.item()
