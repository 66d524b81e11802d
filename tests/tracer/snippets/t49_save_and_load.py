# Saved and loaded.
import torch

import io
x = torch.ones(2, requires_grad=True)
b = io.BytesIO()
torch.save(x, b)
b.seek(0)
y = torch.load(b)
