# thread: https://github.com/closeheat/pytorch-lstm-text-generation-tutorial/issues/3
# kind: silently wrong
# ends: finished
# fact: not torch.equal(lstm(table(texts[1:2]))[0], both[1:2])
# finding: `lstm` expects (positions, batch, features), for `batch_first` is False (line 6), and gets (batch, positions, features), so
#   it steps through the texts and takes the positions for samples: a text's output depends on the texts before it (line 9).
#   Pass `batch_first=True`.
# culprit: 6
# victim: 9
# repair: line 6: lstm = nn.LSTM(8, 8, batch_first=True)
# repaired: torch.allclose(lstm(table(texts[1:2]))[0], both[1:2], atol=1e-6)

import torch
from torch import nn

torch.manual_seed(821)
table = nn.Embedding(20, 8)
lstm = nn.LSTM(8, 8)
texts = torch.randint(0, 20, (3, 5))
out = nn.Linear(8, 20)
both, _ = lstm(table(texts))
scores = out(both)
loss = nn.functional.cross_entropy(scores[:, :-1].flatten(0, 1), texts[:, 1:].flatten())
loss.backward()
