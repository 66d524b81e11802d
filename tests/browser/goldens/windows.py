import torch
base = torch.arange(12.0)
rows = base.view(3, 4)
middle = rows[1]
every = base[::3]
tail = base[7:]
middle.mul_(10)
