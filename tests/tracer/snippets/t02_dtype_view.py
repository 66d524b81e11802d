# A view with another dtype shares the version counter.
import torch

x = torch.ones(2)
i = x.view(torch.int32)
i.zero_()
