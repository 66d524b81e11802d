# Lists to which items are appended: the same list again, the list itself, and lists that change meanwhile.
import torch
h = [[torch.ones(1)]]
h.append(h[0])
h.append(h)
h.append(torch.ones(2))
s = [torch.ones(1)]
s.append([torch.ones(1)])
s[1].append(torch.ones(2)); s.append(s[1][0])
s[1].pop(); s[1].append(torch.ones(2)); s.append(torch.ones(3))
s.pop(); s.append(torch.ones(3)); s.append(torch.ones(4))
s.pop(0); s.insert(0, torch.ones(1)); s.append(1)
s[0] = s[-1]; s.append(s[1])
class P: pass
p = P(); p.x = torch.ones(1)
s.append(p)
s.append({"k": p})
p.x = torch.zeros(1); s.append(p.x)
s[5] = None; s.append(None)
n = []
n.append(torch.ones(1))
n.append(torch.ones(2))
n.clear(); n.append(torch.ones(1)); n.append(torch.ones(1)); n.append(torch.ones(1))
m = [1]
for i in range(40): m.append(torch.full((1,), float(i)))
m.append("text"); m.append(torch.ones(1))
del m[3]
m.append(m[2])
m += [torch.ones(1)] * 2; m.pop(5)
m.extend([torch.ones(1), [m[0], torch.ones(2)]])
q = [(torch.ones(1),)]
q.append(q[0] + q[0])
q += q
d = [[[torch.ones(1)]], [[[torch.ones(2)]]]]
d.append(d[0][0])
d.append([d[1][0][0]])
d.append(3)
