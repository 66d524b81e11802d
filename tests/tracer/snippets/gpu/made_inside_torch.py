import torch
import torch.nn.functional as F
i = torch.tensor([0, 2], device='cuda')
x = torch.ones(1, 1, 2, 2, device='cuda')
print(F.one_hot(i).device, torch.diag_embed(x).device, F.interpolate(x, scale_factor=2.).device, F.pad(x, (1, 1)).device)
print(F.scaled_dot_product_attention(x, x, x, is_causal=True).device, x.repeat(2, 1, 1, 1).device, i.bincount().device)
print(torch.cov(x[0, 0]).device, x.std().device, x.unique().device, torch.block_diag(x[0, 0], x[0, 0]).device)

# cuda:0 cuda:0 cuda:0 cuda:0
# cuda:0 cuda:0 cuda:0
# cuda:0 cuda:0 cuda:0 cuda:0
