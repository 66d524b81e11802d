# thread: https://discuss.pytorch.org/t/implementing-truncated-backpropagation-through-time/15500?page=2
# kind: silently wrong
# ends: finished
# fact: abs(cell.weight_hh.grad[0, 0].item() + 0.0160) < 1e-3
# finding: The windows overlap, so a state's grad on line 16 still holds what earlier rounds added to it, and is sent back once
#   more: the gradients of cell count the early losses several times. Clear the states' grad before each round's backward.
# culprit: 16
# victim: 16
# repair: after 13: for held, _ in states[1:]: held.grad = None
# repaired: abs(cell.weight_hh.grad[0, 0].item() + 0.0027) < 1e-3

import torch
from torch import nn

torch.manual_seed(0)
cell, head, window = nn.RNNCell(2, 3), nn.Linear(3, 1), 3
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
states = [(None, torch.zeros(1, 3))]
optimizer.zero_grad()
for t, x in enumerate(torch.randn(6, 1, 2)):
    entering = states[-1][1].detach().requires_grad_()
    leaving = cell(x, entering)
    states.append((entering, leaving))
    loss = head(leaving).pow(2).mean()
    loss.backward(retain_graph=True)
    for back in range(1, min(window, t + 1)):
        states[-back - 1][1].backward(states[-back][0].grad, retain_graph=True)
optimizer.step()
print(cell.weight_hh.grad)
