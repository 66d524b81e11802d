# thread: https://openillumi.com/en/en-pytorch-fix-embedding-index-error
# kind: broken
# ends: IndexError at line 15, called from line 21
# says: index out of range in self
# finding: `<pad>` is given the number `len(words)`, 4 (line 4), and the table has the rows 0 to 3 (line 10), so the lookup of `rows`
#   fails (line 15). Make the table after `<pad>` has a number: `nn.Embedding(len(words) + 1, 5)`.
# culprit: 10
# victim: 15
# repair: line 10: self.table = nn.Embedding(len(words) + 1, 5)
# repaired: tagger.table.weight.grad.shape == (5, 5)

import torch
from torch import nn

words = {"a": 0, "cat": 1, "sat": 2, "down": 3}
pad = len(words)

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(len(words), 5)
        self.out = nn.Linear(5, 2)


    def forward(self, rows):
        return self.out(self.table(rows).mean(1))

torch.manual_seed(817)
tagger = Tagger()
sentences = [["a", "cat", "sat"], ["sat", "down"]]
rows = torch.tensor([[words[w] for w in s] + [pad] * (3 - len(s)) for s in sentences])
scores = tagger(rows)
nn.functional.cross_entropy(scores, torch.tensor([0, 1])).backward()
