# thread: https://github.com/pytorch/pytorch/issues/111369
# kind: broken
# ends: RuntimeError at line 15, called from line 19
# says: backward through the graph a second time
# finding: LBFGS calls `closure` several times, but the prediction (line 9) is computed once outside of it; its graph
#   is freed by the first backward (line 15). Compute the prediction inside `closure`.
# culprit: 9
# victim: 15
# repair: without 9
# repair: line 14: error = nn.functional.mse_loss(fit(xs), ys)
# repaired: torch.nn.functional.mse_loss(fit(xs), ys).item() < 0.1

import torch
from torch import nn

torch.manual_seed(3)
xs = torch.linspace(-1, 1, 20).unsqueeze(1)
ys = 3 * xs - 1
fit = nn.Linear(1, 1)
solver = torch.optim.LBFGS(fit.parameters(), max_iter=10)
guess = fit(xs)


def closure():
    solver.zero_grad()
    error = nn.functional.mse_loss(guess, ys)
    error.backward()
    return error


solver.step(closure)
