import torch
import torch.nn.functional as F
net = torch.nn.Linear(4, 2).to("cuda")
x = torch.ones(3, 4, device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16):
    y = net(x)
    again = net(x)
    kept = F.layer_norm(y, (2,))
    print(y.dtype, again.dtype, (y + 1).dtype, (y @ y.t()).dtype)
    with torch.autocast("cuda", enabled=False):
        print(net(x).dtype)
    loss = F.mse_loss(y.float(), torch.zeros(3, 2, device="cuda"))
loss.backward()
print(net(x).dtype, net.weight.dtype, net.weight.grad.dtype, loss.dtype, torch.is_autocast_enabled("cuda"))

# torch.bfloat16 torch.bfloat16 torch.bfloat16 torch.bfloat16
# torch.float32
# torch.float32 torch.float32 torch.float32 torch.float32 False
