# needs cuda: CUDA's autocast casts to float16, and other operators than the CPU's to float32
import torch
import torch.nn.functional as F
m = torch.nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
before = m.weight.detach().clone()
for target in (torch.tensor([0, 1, 0], device="cuda"), torch.tensor([1, 1, 0], device="cuda")):
    with torch.autocast("cuda"):
        y = m(torch.ones(3, 4, device="cuda"))
        print(y.dtype, y.softmax(1).dtype, y.exp().dtype, y.sum().dtype, (y + 1).dtype)
        loss = F.cross_entropy(y, target)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print(scaler.get_scale(), torch.equal(before, m.weight), loss.dtype, m.weight.grad.dtype)
m.weight.grad.fill_(float("inf"))
scaler.scale(m(torch.ones(3, 4, device="cuda")).sum() * float("inf")).backward()
kept = m.weight.detach().clone()
scaler.step(optimizer)
scaler.update()
print(scaler.get_scale(), torch.equal(kept, m.weight))

# torch.float16 torch.float32 torch.float32 torch.float32 torch.float16
# torch.float16 torch.float32 torch.float32 torch.float32 torch.float16
# 65536.0 False torch.float32 torch.float32
# 32768.0 True
