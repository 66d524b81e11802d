# A tensor with a storage that has no bytes.
import torch

x = torch.ones(4)
x.untyped_storage().resize_(0)
