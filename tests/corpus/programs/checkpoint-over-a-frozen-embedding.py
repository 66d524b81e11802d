# thread: https://github.com/huggingface/transformers/issues/21381
# kind: broken
# ends: RuntimeError at line 10
# says: does not require grad and does not have a grad_fn
# fact: block.weight.grad is None
# finding: No input of `checkpoint` requires grad because the embedding is frozen (line 8), and the reentrant checkpoint
#   (line 9) then records nothing, not even for `block`. Use `use_reentrant=False`.
# culprit: 9
# victim: 10
# repair: line 9: mixed = checkpoint(block, words(tokens), use_reentrant=False)
# repaired: block.weight.grad.abs().sum().item() > 0

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(4)
words, block = nn.Embedding(10, 4), nn.Linear(4, 4)
tokens = torch.tensor([[1, 5, 2]])
words.weight.requires_grad_(False)
mixed = checkpoint(block, words(tokens), use_reentrant=True)
mixed.pow(2).mean().backward()
