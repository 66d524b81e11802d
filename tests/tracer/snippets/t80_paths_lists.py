# Lists whose items are removed, inserted and swapped within one statement.
import torch
hist = [torch.zeros(2), torch.ones(2)]
for k in range(4):
    hist.pop(); hist.append(torch.full((2,), float(k)))
hist[0], hist[1] = hist[1], hist[0]
nest = [[torch.ones(1)], [torch.zeros(1), [torch.ones(3)]]]
nest[1][1].pop(); nest[1][1].append(torch.rand(3))
nest[0], nest[1] = nest[1], nest[0]
del nest[0][0]
nest[0] = nest[0] + [torch.ones(2)]
def renew(xs):
    x = xs.pop()
    del x
    xs.append(torch.rand(2))
renew(hist)
renew(hist)
def drop(xs):
    xs.pop(); xs.append(torch.rand(2)); xs.pop(); xs.append([torch.rand(2)])
drop(hist)
drop(hist)
hist.clear(); hist.extend([torch.ones(1), torch.ones(2)])
hist.clear(); hist.extend([torch.ones(1), torch.ones(2)])
hist.sort(key=len); hist.reverse()
hist *= 2
hist[:] = [torch.zeros(1)] * 3
t = (torch.ones(1), [torch.ones(2)])
t[1].append(t[0])
t = (torch.ones(1), [torch.ones(2)])
t[1][0] = t[0]; del t[1][0]
