# thread: https://github.com/pytorch/examples/blob/main/regression/main.py
# kind: ordinary
# ends: finished
# fact: rounds >= 3 and fc.weight.grad is not None
# finding: none

from itertools import count

import torch
import torch.nn.functional as F

torch.manual_seed(105)
DEGREE = 4
W_goal, b_goal = torch.randn(DEGREE, 1) * 5, torch.randn(1) * 5

def powers(x):
    x = x.unsqueeze(1)
    return torch.cat([x**i for i in range(1, DEGREE + 1)], 1)

def describe(W, b):
    terms = [f"{w:+.2f} x^{i + 1}" for i, w in enumerate(W)]
    return " ".join(terms) + f" {b[0]:+.2f}"

fc = torch.nn.Linear(W_goal.size(0), 1)
for rounds in count(1):
    batch_x = powers(torch.randn(16))
    batch_y = batch_x.mm(W_goal) + b_goal.item()
    fc.zero_grad()
    output = F.smooth_l1_loss(fc(batch_x), batch_y)
    loss = output.item()
    output.backward()
    for param in fc.parameters():
        param.data.add_(-0.1 * param.grad)
    if loss < 1e-3 or rounds == 4:
        break
print(describe(fc.weight.view(-1), fc.bias))
print(describe(W_goal.view(-1), b_goal))
