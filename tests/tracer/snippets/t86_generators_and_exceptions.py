# Generators that hold tensors, and exceptions while a generator is suspended.
import torch
def gen(n):
    x = torch.ones(2, requires_grad=True)
    for i in range(n):
        x = x * 2
        got = yield x
        if got is not None:
            x = got
    return x
g = gen(3)
a = next(g)
b = g.send(torch.zeros(2, requires_grad=True))
b.sum().backward()
try:
    g.throw(ValueError("no"))
except ValueError as e:
    c = torch.ones(1)
g2 = gen(5)
xs = [y.sum() for y in g2]
def outer():
    z = yield from gen(2)
    yield z + 1
ys = list(outer())
sum(xs).backward()
g3 = gen(2); next(g3)
del g3
ctx = [next(gen(1)) for _ in range(2)]
def bad(x):
    y = x * 2
    try:
        y.add_(torch.ones(3))
    except RuntimeError as err:
        y = y + 1
        raise KeyError("in " + str(y.sum().item())) from None
    finally:
        y.mul_(3)
try:
    bad(torch.ones(2))
except KeyError as k:
    kept = [torch.ones(1), str(k)]
kept.pop(0); kept.append(torch.ones(2))
class Ctx:
    def __enter__(self):
        self.t = torch.ones(2)
        return self.t
    def __exit__(self, *a):
        self.t.zero_()
        return True
with Ctx() as t:
    t.add_(1)
    t.add_(torch.ones(3))
    t.add_(5)
t.add_(1)
