import torch
with torch.inference_mode():
    silent = torch.ones(2, device="cuda")
    silent.add_(1)
with torch.no_grad():
    quiet = torch.ones(2, device="cuda")
    quiet.add_(1)
print(silent.is_inference(), quiet._version)
x = torch.ones(2, device="cuda", requires_grad=True)
swapped = torch.zeros(2, device="cuda")
x.data = swapped
print(x._version, x.tolist())
try:
    x.add_(1)
except RuntimeError as error:
    print(error)
torch.autograd.graph.increment_version(swapped)
print(swapped._version)
silent._version

# True 1
# 0 [0.0, 0.0]
# a leaf Variable that requires grad is being used in an in-place operation.
# 1
