import torch
for make in (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn, torch.arange, torch.eye, torch.randperm):
    print(make(2, device='cuda').device, end=' ')
print(torch.full((2,), 1.5, device='cuda'), torch.linspace(0, 1, 3, device='cuda:0').device)

# cuda:0 cuda:0 cuda:0 cuda:0 cuda:0 cuda:0 cuda:0 cuda:0 tensor([1.5000, 1.5000], device='cuda:0') cuda:0
