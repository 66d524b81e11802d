# thread: https://github.com/yunjey/pytorch-tutorial/issues/56
# kind: ordinary
# ends: finished
# fact: torch.allclose(generator[0].weight.grad, expected) and rounds == 3
# finding: none

import torch
from torch import nn

torch.manual_seed(523)
bce = nn.BCELoss()
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh())
judge = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4)
opt_j = torch.optim.Adam(judge.parameters(), lr=2e-4)

def zero_both():
    opt_g.zero_grad()
    opt_j.zero_grad()

real_labels, fake_labels, rounds = torch.ones(6, 1), torch.zeros(6, 1), 0
for images in torch.rand(3, 6, 4):
    fakes = generator(torch.randn(6, 2))
    judge_loss = bce(judge(images), real_labels) + bce(judge(fakes), fake_labels)
    zero_both()
    judge_loss.backward()
    opt_j.step()

    generator_loss = bce(judge(generator(torch.randn(6, 2))), real_labels)
    (expected,) = torch.autograd.grad(generator_loss, generator[0].weight, retain_graph=True)
    zero_both()
    generator_loss.backward()
    opt_g.step()
    rounds += 1
