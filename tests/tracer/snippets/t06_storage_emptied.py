# A tensor on no bytes.
import torch

x = torch.ones(4)
x.untyped_storage().resize_(0)
