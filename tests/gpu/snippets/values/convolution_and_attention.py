import torch
import torch.nn.functional as F
torch.use_deterministic_algorithms(True, warn_only=True)
image = torch.linspace(-1, 1, 2 * 6 * 6, device="cuda").reshape(1, 2, 6, 6).requires_grad_()
kernel = torch.linspace(-1, 1, 3 * 2 * 3 * 3, device="cuda").reshape(3, 2, 3, 3).requires_grad_()
maps = F.max_pool2d(F.conv2d(image, kernel, padding=1).relu(), 2)
maps.mean().backward()
q = torch.linspace(-1, 1, 2 * 4 * 8, device="cuda").reshape(1, 2, 4, 8).requires_grad_()
attended = F.scaled_dot_product_attention(q, q, q, is_causal=True)
attended.sum().backward()
lstm = torch.nn.LSTM(8, 2, batch_first=True).to("cuda")
out, (hidden, cell) = lstm(q[0])
out.sum().backward()
print(maps.shape, kernel.grad.norm(), attended.shape, q.grad.norm(), out.shape)
