import torch
host = torch.arange(4.0)
try:
    pinned = host.pin_memory()
except RuntimeError:
    pinned = host.clone()
pinned += 1
there = pinned.to("cuda", non_blocking=True)
torch.cuda.synchronize()
view = pinned[2:]
print(there.tolist(), view._base is pinned, pinned._version)

# [1.0, 2.0, 3.0, 4.0] True 1
