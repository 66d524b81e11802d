# thread: https://forums.fast.ai/t/rnn-hidden-state-initializations-chapter-12/91887
# kind: broken
# ends: AttributeError at line 13, called from line 25
# says: 'int' object has no attribute 'dim'
# finding: After the first epoch `reset` makes `state` the number 0 (line 18); `nn.RNN` needs a tensor of shape (2, 4, 8) as its
#   hidden state (line 13). Reset to `torch.zeros_like(self.state)`.
# culprit: 18
# victim: 13
# repair: line 18: self.state = torch.zeros_like(self.state)
# repaired: model.state.shape == (2, 4, 8) and model.state.count_nonzero().item() == 0

import torch
from torch import nn

class WordModel(nn.Module):
    def __init__(self, words, hidden, layers, batch):
        super().__init__()
        self.embed = nn.Embedding(words, hidden)
        self.rnn = nn.RNN(hidden, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, words)
        self.state = torch.zeros(layers, batch, hidden)

    def forward(self, x):
        y, state = self.rnn(self.embed(x), self.state)
        self.state = state.detach()
        return self.out(y)

    def reset(self):
        self.state = 0

torch.manual_seed(505)
model = WordModel(12, 8, 2, 4)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in torch.randint(0, 12, (3, 2, 4, 5)):
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.reset()
