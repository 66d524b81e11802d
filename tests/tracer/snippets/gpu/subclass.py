import torch
class T(torch.Tensor): pass
t = torch.ones(2, device='cuda').as_subclass(T)
print(t.device, type(t * 2).__name__, (t * 2).device, t.cpu().device, type(t.cpu()).__name__)

# cuda:0 T cuda:0 cpu T
