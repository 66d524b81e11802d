# swap_tensors gives a tensor a base, and changes nothing else.
import torch

source = torch.zeros(3)
source.zero_()
alias = torch.empty(0).set_(source)
view = source[:]
torch.utils.swap_tensors(alias, view)
