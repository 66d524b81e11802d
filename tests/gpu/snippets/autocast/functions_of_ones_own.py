import torch
class Doubled(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x):
        print("forward", x.dtype, torch.is_autocast_enabled("cuda"))
        return x * 2
    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        print("backward", grad.dtype, torch.is_autocast_enabled("cuda"))
        return grad * 2
w = torch.ones(2, 2, device="cuda", requires_grad=True)
with torch.autocast("cuda", dtype=torch.bfloat16):
    product = w @ w
    doubled = Doubled.apply(product)
doubled.sum().backward()
print(product.dtype, doubled.dtype, w.grad.tolist())

# forward torch.float32 False
# backward torch.float32 False
# torch.bfloat16 torch.float32 [[8.0, 8.0], [8.0, 8.0]]
