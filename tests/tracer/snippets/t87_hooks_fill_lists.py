# Hooks that fill lists and attributes; views in lists, written in place.
import torch
seen = []
w = torch.ones(3, requires_grad=True)
v = w * 2
h = v.register_hook(lambda g: seen.append(g.clone()) or g * 2)
m = w.detach()
views = [m[i] for i in range(3)]
for i, x in enumerate(views):
    with torch.no_grad():
        x.mul_(i)
    y = (v * m.clone()).sum()
    y.backward(retain_graph=True)
    seen.pop(); seen.append(torch.ones(1) * i)
h.remove()
views[0], views[1] = views[1], views[0]
views.pop().fill_(9)
def pre(mod, inp):
    mod.last = [inp[0]]
    return (inp[0] + 1,)
def post(mod, inp, out):
    mod.last.append(out)
lin = torch.nn.Linear(3, 1)
lin.register_forward_pre_hook(pre)
lin.register_forward_hook(post)
for _ in range(2):
    lin(torch.ones(1, 3)).sum().backward()
lin.last.clear()
w.register_post_accumulate_grad_hook(lambda p: setattr(p, "kept", p.grad.clone()))
(w * 2).sum().backward()
w.extra = [torch.ones(1)]
w.extra.append(torch.ones(2))
chunks = list(torch.ones(4).chunk(2))
chunks[0].add_(1); chunks[0] = chunks[1]
base = torch.zeros(4, requires_grad=True).clone()
rows = [base[i:i + 1] for i in range(4)]
rows[1].mul_(2); rows[2] = rows[1].exp(); rows[0].copy_(rows[2])
sum(r.sum() for r in rows).backward()
