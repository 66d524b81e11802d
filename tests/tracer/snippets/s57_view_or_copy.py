# reshape is sometimes a view.
import torch

a = torch.arange(6.0).view(2, 3)
r1, r2 = a.reshape(3, 2), a.t().reshape(6)
a[0, 0] = 99
a.t().view(6)
