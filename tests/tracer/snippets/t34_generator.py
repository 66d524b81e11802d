# A generator's frame is suspended and resumed.
import torch

def rows(t):
    for i in range(2):
        r = t[i]
        yield r * 2
x = torch.ones(2, 2)
acc = []
for r in rows(x):
    acc.append(r)
    x[0] += 1
s = sum(acc)
print(s)
