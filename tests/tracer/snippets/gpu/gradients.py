import torch
w = torch.ones(2, requires_grad=True)
x = torch.ones(2, device='cuda', requires_grad=True)
s = torch.tensor(2., requires_grad=True)
m = w.to('cuda'); print(m.grad_fn.name(), m.is_leaf)
x.register_hook(lambda g: print('hook', g.device))
y = m * x; (y.sin() * s + y.cos()).sum().backward()
print(w.grad.device, x.grad.device, s.grad.device)
print([g.device.type for g in torch.autograd.grad((w.cuda() * x * s).sum(), [w, x, s])])
g, = torch.autograd.grad((w.cuda() ** 3).sum(), w, create_graph=True); g.sum().backward(); print(g.device, g.grad_fn.name())
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2, a * 3
    @staticmethod
    def backward(ctx, g, h): print(h); return g * 2 + h * 3
Two.apply(x)[0].sum().backward()

# ToCopyBackward0 False
# hook cuda:0
# cpu cuda:0 cpu
# hook cuda:0
# ['cpu', 'cuda', 'cpu']
# cpu ToCopyBackward0
# tensor([0., 0.], device='cuda:0')
# hook cuda:0
