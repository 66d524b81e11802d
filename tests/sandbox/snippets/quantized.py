import torch

print(torch.quantize_per_tensor(torch.randn(3), 0.1, 0, torch.quint8))
q = torch.ao.quantization.quantize_dynamic(torch.nn.Linear(4, 4), {torch.nn.Linear})
print(q(torch.randn(2, 4)).shape)
