import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = torch.tensor(3.0, requires_grad=True)
x = torch.tensor([4.0, 5.0], device="cuda", requires_grad=True)
for step in range(2):
    y = w.to("cuda") * x * scale
    y.sum().backward()
    print(w.grad.tolist(), x.grad.tolist(), scale.grad.item(), w.grad.device, scale.grad.device, x.grad._version)

# [12.0, 15.0] [3.0, 6.0] 14.0 cpu cpu 0
# [24.0, 30.0] [6.0, 12.0] 28.0 cpu cpu 1
