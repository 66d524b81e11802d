# needs cuda: memory is pinned for a GPU to copy from
import torch
host = torch.arange(4.0).pin_memory()
plain = torch.arange(4.0)
there = host.to("cuda", non_blocking=True)
torch.cuda.synchronize()
host[0] = 9
back = torch.zeros(4, pin_memory=True)
back.copy_(there)
view = host[1:]
print(host.is_pinned(), plain.is_pinned(), back.is_pinned(), view.is_pinned(), there.tolist(), back.tolist(), host.device)
array = host.numpy()
array[1] = 7
print(host.tolist(), host._version)

# True False True True [0.0, 1.0, 2.0, 3.0] [0.0, 1.0, 2.0, 3.0] cpu
# [9.0, 7.0, 2.0, 3.0] 1
