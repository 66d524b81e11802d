import torch
def cuda(): return torch.rand(2, device='cuda').tolist()
def cpu(): return torch.rand(2).tolist()
torch.manual_seed(1); a, b = cuda(), cpu()
torch.manual_seed(1); print(cpu() == b, cuda() == a, a == b)
torch.cuda.manual_seed(1); print(cuda() == a, torch.cuda.initial_seed())
s = torch.cuda.get_rng_state(); d = cuda(); torch.cuda.set_rng_state(s); print(cuda() == d)
g = torch.Generator('cuda').manual_seed(4); h = torch.Generator('cuda').manual_seed(4)
print(g.device, isinstance(torch.default_generator, torch.Generator),
      torch.equal(torch.rand(3, device='cuda', generator=g), torch.rand(3, device='cuda', generator=h)))

# True True False
# True 1
# True
# cuda:0 True True
