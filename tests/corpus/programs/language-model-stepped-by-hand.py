# thread: https://github.com/pytorch/examples/blob/main/word_language_model/main.py
# kind: ordinary
# ends: finished
# fact: hidden[0].grad_fn is not None and total > 0
# finding: none

import torch
from torch import nn

def cut(hidden):
    """Keep the values of the hidden state and drop its history."""
    if isinstance(hidden, torch.Tensor):
        return hidden.detach()
    return tuple(cut(part) for part in hidden)

class Speaker(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.drop, self.encoder = nn.Dropout(0.2), nn.Embedding(words, width)
        self.rnn, self.decoder = nn.LSTM(width, width), nn.Linear(width, words)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(tokens)), hidden)
        return self.decoder(self.drop(output)).view(-1, self.decoder.out_features), hidden

torch.manual_seed(102)
corpus = torch.randint(0, 7, (10, 2))
model, lr, total = Speaker(7, 5), 0.5, 0.0
hidden = (torch.zeros(1, 2, 5), torch.zeros(1, 2, 5))
model.train()
for start in range(0, corpus.size(0) - 1, 3):
    tokens, target = corpus[start : start + 3], corpus[start + 1 : start + 4].view(-1)
    tokens = tokens[: target.numel() // 2]
    model.zero_grad()
    hidden = cut(hidden)
    scores, hidden = model(tokens, hidden)
    loss = nn.functional.cross_entropy(scores, target)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-lr)
    total += len(tokens) * loss.item()
