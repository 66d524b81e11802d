import torch
c = torch.cuda
print(c.is_available(), c.device_count(), c.current_device(), c.is_initialized(), c.memory_allocated())
x = torch.ones(200, device='cuda'); y = x[1:]
print(c.memory_allocated(), c.max_memory_allocated(), c.is_initialized(), c.get_device_name())
c.synchronize(); c.empty_cache(); del x; print(c.memory_allocated()); del y; print(c.memory_allocated())
print(torch.accelerator.is_available(), torch.accelerator.current_accelerator())
with c.device(0): c.set_device(0)

# True 1 0 False 0
# 1024 1024 True CPU standing in for a GPU
# 1024
# 0
# True cuda
