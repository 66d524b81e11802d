# The untyped storage of a tensor is written.
import torch

t = torch.zeros(3)
t.untyped_storage()[0] = 1
t.untyped_storage().fill_(0)
t.untyped_storage().resize_(24)
u = torch.empty(0).set_(t.untyped_storage(), 0, (2,), (1,))
u.fill_(4)
