# needs cuda: record_stream is CUDA's allocator's
import torch
side = torch.cuda.Stream()
x = torch.ones(3, device="cuda")
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = x * 2
x.record_stream(side)
del x
torch.cuda.current_stream().wait_stream(side)
z = torch.zeros(3, device="cuda")
print(y.tolist(), z.tolist(), torch.cuda.current_stream() == torch.cuda.default_stream())

# [2.0, 2.0, 2.0] [0.0, 0.0, 0.0] True
