# TransformerEncoderLayer uses its fast path.
import torch

torch.manual_seed(0)
m = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0).eval()
x = torch.randn(2, 3, 8)
mask = torch.tensor([[False, False, True], [False, True, True]])
with torch.no_grad():
    y = m(x, src_key_padding_mask=mask)
print(y.sum())
