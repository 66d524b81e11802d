# exec and eval.
import torch

exec('x = torch.ones(2)\nx += 1')
y = eval('x * 2')
