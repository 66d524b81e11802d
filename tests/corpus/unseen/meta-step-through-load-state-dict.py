# thread: https://github.com/hoyeoplee/MeLU/issues/9
# kind: silently wrong
# ends: finished
# fact: abs(net.bias.grad.item() - 5.0242) < 1e-3
# finding: load_state_dict on line 15 copies the values of fast into the parameters and drops how they were computed, so the
#   gradient of line 23 misses the path through the inner step, for all its create_graph=True. Call the module with fast instead
#   (torch.func.functional_call).
# culprit: 15
# victim: 23
# repair: without 15
# repair: line 16: outer = F.mse_loss(torch.func.functional_call(net, fast, (query[0],)), query[1])
# repair: without 17
# repaired: abs(net.bias.grad.item() + 3.2708) < 1e-3

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
meta_optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def adapted_loss(support, query):
    before = {name: p.clone() for name, p in net.named_parameters()}
    inner = F.mse_loss(net(support[0]), support[1])
    grads = torch.autograd.grad(inner, list(net.parameters()), create_graph=True)
    fast = {name: w - 0.4 * g for (name, w), g in zip(before.items(), grads)}
    net.load_state_dict(fast)
    outer = F.mse_loss(net(query[0]), query[1])
    net.load_state_dict(before)
    return outer


tasks = [[(torch.randn(5, 2), torch.randn(5, 1)) for _ in range(2)] for _ in range(3)]
meta_optimizer.zero_grad()
sum(adapted_loss(*task) for task in tasks).backward()
meta_optimizer.step()
print(net.weight.grad)
