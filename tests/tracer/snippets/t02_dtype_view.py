# A view of another dtype shares the counter.
import torch

x = torch.ones(2)
i = x.view(torch.int32)
i.zero_()
