# Instances whose attributes, `__dict__` and class are changed.
import torch
class P:
    pass
class S:
    __slots__ = ("x", "__dict__")
class D(dict):
    def __init__(self, **k):
        super().__init__(**k)
        self.__dict__ = self
p = P()
p.x = torch.ones(1)
setattr(p, "y", torch.ones(2))
p.x, p.y = p.y, p.x
del p.x
p.__dict__["z"] = torch.ones(3)
p.__dict__ = {"only": torch.ones(1)}
p.inner = P(); p.inner.v = [torch.ones(1)]
p.inner.v.append(torch.ones(2))
p.inner = P()
p.inner.v = torch.ones(1)
delattr(p, "inner")
p = P(); p.x = torch.ones(1)
p = P(); p.x = torch.ones(1)
class R:
    def __init__(self):
        self.x = torch.ones(1)
r = R()
r = R()
r = None; r = R()
r.__class__ = P
object.__setattr__(r, "x", torch.zeros(2))
s = S()
s.x = torch.ones(1)
s.y = torch.ones(1)
a = D(q=torch.ones(1))
a.w = torch.ones(2)
a.__dict__ = {"x": torch.ones(2)}
a.__dict__["x"] = torch.zeros(1)
h = [R() for _ in range(3)]
h.pop(); h.append(R())
h[0].x = h[1].x
h[0], h[1] = R(), R()
del h[0].x
h[0].x = torch.ones(1)
h.pop(); u = P(); u.x = torch.ones(1); h.append(u)
