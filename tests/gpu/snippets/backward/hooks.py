import torch
w = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
x = w * 3
x.retain_grad()
x.register_hook(lambda grad: print("x", grad.tolist(), grad.device))
w.register_hook(lambda grad: grad * 10)
w.register_post_accumulate_grad_hook(lambda leaf: print("w", leaf.grad.tolist()))
y = x.exp()
y.grad_fn.register_hook(lambda inputs, outputs: print("exp", len(inputs), len(outputs)))
y.grad_fn.register_prehook(lambda outputs: print("before exp", outputs[0].tolist()))
(y * 0 + x).sum().backward()
print(w.grad.tolist(), x.grad.tolist())

# before exp [0.0, 0.0]
# exp 1 1
# x [1.0, 1.0] cuda:0
# w [30.0, 30.0]
# [30.0, 30.0] [1.0, 1.0]
