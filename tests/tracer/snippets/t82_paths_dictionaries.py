# Dictionaries that change in every way they can.
import torch
from collections import OrderedDict, defaultdict, deque
d = {"a": torch.ones(1), "b": [torch.ones(2)]}
d["a"] = torch.zeros(1)
d.pop("a"); d["a"] = torch.ones(3)
d.update(c=torch.ones(1))
d |= {"a": d["c"]}
d.setdefault("z", torch.ones(1))
d["b"].append(d["z"])
d["b"] = {"k": torch.ones(1)}
d["b"]["k"] = d["b"].pop("k")
d["b"].clear()
d.clear()
d.update({"a": torch.ones(1)})
d.popitem()
o = OrderedDict(x=torch.ones(1), y=torch.ones(2))
o.move_to_end("x")
o.popitem(last=False)
o["x"] = o.pop("x") * 2
q = deque([torch.ones(1)], maxlen=2)
q.append(torch.ones(2))
q.append(torch.ones(3))
q[0] = torch.zeros(1)
w = defaultdict(list)
for i in range(3):
    w[i % 2].append(torch.ones(i + 1))
w[0][0] = w[1][0]
f = dict.fromkeys("ab", torch.ones(1))
f["b"] = f["a"].clone()
g = {1: d, 2.5: d, True: torch.ones(2)}
d["new"] = torch.ones(1)
vars_ = globals()
vars_["made"] = torch.ones(2)
globals()["made"] = torch.zeros(2)
globals().pop("made")
