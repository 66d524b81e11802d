import torch
x = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = x.exp() * x
def pack(tensor):
    return tensor.cpu(), tensor.device
def unpack(packed):
    return packed[0].to(packed[1])
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    z = (y * x).sum()
z.backward()
print(torch.isfinite(x.grad).all().item(), x.grad.device)

# True cuda:0
