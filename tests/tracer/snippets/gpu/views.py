import torch
x = torch.arange(6., device='cuda').reshape(2, 3)
print(x[0].device, x.t().device, x.detach().device, x.data.device, x.view(6).is_cuda, x.untyped_storage().device)
y = torch.ones(2); y.data = x; print(y.device)

# cuda:0 cuda:0 cuda:0 cuda:0 True cuda:0
# cuda:0
