import torch
x = torch.ones(2, device='cuda')
s = torch.tensor(3.)
print((x * s).device, (s - x).device, torch.where(x > 0, x, s).device, x.add_(s), x[torch.tensor([1])].device)
x[0] = torch.tensor(7.); x[1:] = torch.ones(1); print(x)
print(torch.empty(2).copy_(x).device)

# cuda:0 cuda:0 cuda:0 tensor([4., 4.], device='cuda:0') cuda:0
# tensor([7., 1.], device='cuda:0')
# cpu
