import torch
import numpy as np
print(torch.tensor([1, 2], device='cuda'), torch.as_tensor(np.ones(2), device='cuda').device)
a = np.ones(2)
t = torch.as_tensor(a, device='cuda'); a[0] = 5; print(t[0].item(), torch.asarray([1.], device='cuda').is_cuda)
x = torch.ones(2, device='cuda'); print(x.new_tensor([1]).device, x.new_zeros(1).device, x.new_zeros(1, device='cpu').device)
print(torch.zeros_like(x).device, torch.zeros_like(x, device='cpu').device, x.new(3).device, torch.tensor(x.tolist()).device)

# tensor([1, 2], device='cuda:0') cuda:0
# 1.0 True
# cuda:0 cuda:0 cpu
# cuda:0 cpu cuda:0 cpu
