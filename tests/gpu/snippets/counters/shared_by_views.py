import torch
x = torch.zeros(4, device="cuda")
view, detached, data, copy = x[:2], x.detach(), x.data, x.clone()
x.add_(1)
view.mul_(3)
detached[3] = 8
data[2] = 5
torch._foreach_add_([x, copy], 1)
x.untyped_storage().fill_(0)
print(x._version, view._version, detached._version, data._version, copy._version, x.tolist())

# 4 4 4 1 1 [0.0, 0.0, 0.0, 0.0]
