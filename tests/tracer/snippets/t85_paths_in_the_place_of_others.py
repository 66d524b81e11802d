# Objects at the memory address of an object that was deleted in the same statement.
import torch
class Six:
    __slots__ = ("a", "b", "c", "d", "e", "f")
class Four:
    __slots__ = ("a", "b", "c", "d")
class D(dict):
    def __init__(self, **k):
        super().__init__(**k)
        self.__dict__ = self
class E(dict):
    pass
x = [Six()]
x.pop(); x.append(torch.ones(1))
x = [Four()]
x.pop(); x.append(torch.ones(1))
x = [Four()]
x.pop(); x.append({"a": torch.ones(1)})
x = [Six()]
x.pop(); x.append({"a": torch.ones(1)})
d = D()
d = None; d = E(); d.x = torch.ones(1)
l = [D()]
l.pop(); e = E(); e.x = torch.ones(1); l.append(e)
r = range(2)
r = [torch.ones(1)]
n = [lambda: 0]
n.pop(); n.append(torch.ones(2))
z = [enumerate("")]
z.pop(); z.append(torch.ones(2))
k = [[torch.ones(1)]]
k.pop(); k.append([torch.ones(1)])
k.pop(); k.append((torch.ones(1),))
k.pop(); k.append([torch.ones(1)])
k.pop(); k.append({"a": k})
k.pop(); k.append({"a": torch.ones(1)})
k.pop(); k.append({"a": torch.ones(1)})
