# thread: https://onlinetechlearner.com/byol-tutorial-self-supervised-learning-on-cifar-images-with-code-in-pytorch/
# kind: ordinary
# ends: finished
# fact: all(p.grad is None for p in teacher.parameters()) and predictor[0].weight.grad is not None
# finding: none

import copy

import torch
import torch.nn.functional as F
from torch import nn

class EMA:
    def __init__(self, alpha):
        self.alpha = alpha

    def average(self, old, new):
        return new if old is None else old * self.alpha + (1 - self.alpha) * new

def distance(x, y):
    x, y = F.normalize(x, dim=-1, p=2), F.normalize(y, dim=-1, p=2)
    return 2 - 2 * (x * y).sum(dim=-1)

torch.manual_seed(204)
student = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 4))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad = False
predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 4))
opt = torch.optim.Adam([*student.parameters(), *predictor.parameters()], lr=3e-3)
ema = EMA(0.99)
for batch in torch.rand(3, 5, 6):
    one, two = batch + 0.05 * torch.randn_like(batch), batch.flip(1)
    guess_one, guess_two = predictor(student(one)), predictor(student(two))
    with torch.no_grad():
        aim_one, aim_two = teacher(one), teacher(two)
    loss = (distance(guess_one, aim_two.detach()) + distance(guess_two, aim_one.detach())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for now, kept in zip(student.parameters(), teacher.parameters()):
        old, new = kept.data, now.data
        kept.data = ema.average(old, new)
