import torch
x = torch.ones(3, device="cuda", requires_grad=True)
y = x.exp()
z = y * 2
y.add_(1)
try:
    z.sum().backward()
    y.sum().backward()
except RuntimeError as error:
    print("modified by an inplace operation: [torch.cuda.FloatTensor [3]]" in str(error))
a = x.sigmoid()
a.data.mul_(0)
a.sum().backward()
print(x.grad.tolist())
b = x.tanh()
b[0] = 0
b.sum().backward()

# True
# [0.0, 0.0, 0.0]
