# thread: https://github.com/pytorch/pytorch/issues/16317
# kind: ordinary
# ends: finished
# fact: table.grad.isfinite().all() and table.grad.abs().sum().item() > 0
# finding: none

import torch


def mean_of_present(values, count):
    present = count > 0
    safe = torch.where(present, count, torch.ones_like(count))
    return torch.where(present, values / safe, torch.zeros_like(values))


torch.manual_seed(0)
table = torch.randn(5, 3, requires_grad=True)
bags = torch.tensor([0, 0, 2, 2, 2])
count = torch.zeros(4).index_add_(0, bags, torch.ones(5))
sums = torch.zeros(4, 3).index_add(0, bags, table)
means = mean_of_present(sums, count[:, None])
distance = (means.pow(2).sum(1) + 1e-8).sqrt()
distance.sum().backward()
print(distance, table.grad)
