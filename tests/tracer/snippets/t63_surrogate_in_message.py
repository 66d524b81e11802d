# The message of an exception contains a surrogate, which UTF-8 cannot encode.
import torch

try:
    raise ValueError("a\ud800")
except ValueError:
    x = torch.ones(2)
