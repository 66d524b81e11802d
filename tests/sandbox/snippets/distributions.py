import torch

print(torch.distributions.Normal(0, 1).sample())
print(torch.distributed.is_available())
