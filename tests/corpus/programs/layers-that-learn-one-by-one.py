# thread: https://github.com/pytorch/examples/blob/main/mnist_forward_forward/main.py
# kind: ordinary
# ends: finished
# fact: not good.requires_grad and good.shape == (5, 4)
# finding: none

import torch
from torch import nn

class Stage(nn.Linear):
    def __init__(self, *sides):
        super().__init__(*sides)
        self.opt, self.threshold = torch.optim.Adam(self.parameters(), lr=0.03), 2.0

    def forward(self, x):
        direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return torch.relu(torch.mm(direction, self.weight.T) + self.bias)

    def learn(self, good, bad):
        for _ in range(2):
            much, little = self.forward(good).pow(2).mean(1), self.forward(bad).pow(2).mean(1)
            loss = torch.log1p(torch.exp(torch.cat([self.threshold - much, little - self.threshold]))).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return self.forward(good).detach(), self.forward(bad).detach()

class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = []
        for sides in zip(sizes, sizes[1:]):
            self.layers = self.layers + [Stage(*sides)]

    def learn(self, good, bad):
        for layer in self.layers:
            good, bad = layer.learn(good, bad)
        return good

torch.manual_seed(104)
images, labels = torch.rand(5, 8), torch.randint(0, 3, (5,))
right, wrong = images.clone(), images.clone()
for x in (right, wrong):
    x[:, :3] *= 0.0
right[range(5), labels], wrong[range(5), (labels + 1) % 3] = images.max(), images.max()
good = Net([8, 6, 4]).learn(right, wrong)
