# A message that UTF-8 cannot carry.
import torch

try:
    raise ValueError("a\ud800")
except ValueError:
    x = torch.ones(2)
