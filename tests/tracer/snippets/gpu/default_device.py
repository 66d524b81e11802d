import torch
from torch import nn
with torch.device('cuda'):
    print(torch.ones(1), torch.tensor([3]), nn.Linear(1, 1).weight.device)
print(torch.tensor([3]).device)
torch.set_default_device('cuda')
print(torch.ones(1).device, torch.tensor(1).device)

# tensor([1.], device='cuda:0') tensor([3], device='cuda:0') cuda:0
# cpu
# cuda:0 cuda:0
