# Conjugated and negated views read the same bytes differently.
import torch

z = torch.tensor([1 + 2j, 3 - 1j])
c = z.conj()
n = c.imag
r = torch.view_as_real(z)
z.mul_(2)
