import torch
device = "cuda"
floats = [torch.tensor([1.5, -0.0, 65504.0], dtype=dtype, device=device) for dtype in (torch.float16, torch.bfloat16, torch.float64)]
half, brain, double = floats
special = torch.tensor([float("nan"), float("inf"), -float("inf")], device=device)
whole = torch.tensor([-128, 127], dtype=torch.int8, device=device)
unsigned = torch.tensor([0, 255], dtype=torch.uint8, device=device)
wide = torch.tensor([2**62, -(2**62)], device=device)
truth = special > 0
numbers = torch.tensor([1 + 2j, -3j], device=device)
nothing = torch.empty(0, device=device)
scalar = torch.tensor(7.0, device=device)
print(half, brain, special, whole, unsigned, wide, truth, numbers, nothing, scalar.item(), sep="\n")

# tensor([1.5000e+00, -0.0000e+00, 6.5504e+04], device='cuda:0', dtype=torch.float16)
# tensor([1.5000e+00, -0.0000e+00, 6.5536e+04], device='cuda:0', dtype=torch.bfloat16)
# tensor([nan, inf, -inf], device='cuda:0')
# tensor([-128,  127], device='cuda:0', dtype=torch.int8)
# tensor([  0, 255], device='cuda:0', dtype=torch.uint8)
# tensor([ 4611686018427387904, -4611686018427387904], device='cuda:0')
# tensor([False,  True, False], device='cuda:0')
# tensor([1.+2.j, -0.-3.j], device='cuda:0')
# tensor([], device='cuda:0')
# 7.0
