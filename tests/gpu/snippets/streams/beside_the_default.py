import torch
side = torch.cuda.Stream()
x = torch.arange(4.0, device="cuda")
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = x * 2
    y[0] = 5
    z = y.sum()
torch.cuda.current_stream().wait_stream(side)
print(y.tolist(), z.item())
with torch.cuda.stream(side):
    y.add_(1)
torch.cuda.synchronize()
w = y[1:]
print(w.tolist())

# [5.0, 2.0, 4.0, 6.0] 17.0
# [3.0, 5.0, 7.0]
