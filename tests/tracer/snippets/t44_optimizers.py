# Every optimizer increments version counters as in plain torch.
import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.randn(3))
for cls in (torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad, torch.optim.LBFGS):
    o = cls([w], lr=0.1)
    def closure():
        o.zero_grad()
        l = (w ** 2).sum()
        l.backward()
        return l
    o.step(closure)
    print(cls.__name__, w._version)
