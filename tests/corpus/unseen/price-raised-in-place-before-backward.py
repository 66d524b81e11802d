# thread: https://discuss.pytorch.org/t/how-pytorch-treat-with-inplace-operation-in-backward/220839
# kind: ordinary
# ends: finished
# fact: torch.allclose(rate.grad, amount * price.detach()) and torch.allclose(price.grad, amount * rate.detach())
# finding: none

import torch

amount = torch.tensor([3.0, 1.0, 2.0])
price = torch.tensor([1.5, 4.0, 0.5], requires_grad=True)
rate = torch.tensor([1.1, 1.2, 0.9], requires_grad=True)
total = amount * price
total.mul_(rate)
total.sum().backward()
print(price.grad, rate.grad)
