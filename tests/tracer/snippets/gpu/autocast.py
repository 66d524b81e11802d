import torch
import torch.nn.functional as F
m = torch.nn.Linear(4, 2).cuda(); o = torch.optim.SGD(m.parameters(), lr=.1)
scaler = torch.amp.GradScaler('cuda')
with torch.autocast('cuda'):
    y = m(torch.ones(3, 4, device='cuda'))
    print(y.dtype, y.softmax(1).dtype, y.exp().dtype, y.sum().dtype, (y + 1).dtype)
    loss = F.cross_entropy(y, torch.tensor([0, 1, 0], device='cuda')); print(loss.dtype)
    with torch.autocast('cuda', enabled=False): print(m(torch.ones(3, 4, device='cuda')).dtype)
with torch.autocast('cuda', dtype=torch.bfloat16): print(m(torch.ones(3, 4, device='cuda')).dtype)
print(torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'), m.weight.dtype)
scaler.scale(loss).backward(); scaler.step(o); scaler.update(); print(m.weight.grad.device, scaler.get_scale())

# torch.float16 torch.float32 torch.float32 torch.float32 torch.float16
# torch.float32
# torch.float32
# torch.bfloat16
# False torch.bfloat16 torch.float32
# cuda:0 65536.0
