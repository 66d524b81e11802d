import torch

m = torch.nn.Linear(3, 1)
for c in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.LBFGS):
    o = c(m.parameters(), lr=0.1)

    def g():
        o.zero_grad()
        l = m(torch.ones(2, 3)).sum()
        l.backward()
        return l

    o.step(g)
