import torch
made = [torch.ones(2, device="cuda", requires_grad=True) for _ in range(3)]
one, two, three = made
optimizers = [
    torch.optim.SGD([one], lr=0.5, momentum=0.9, foreach=True),
    torch.optim.Adam([two], lr=0.5, fused=True),
    torch.optim.AdamW([three], lr=0.5, foreach=False),
]
for step in range(2):
    for weight, optimizer in zip(made, optimizers):
        optimizer.zero_grad(set_to_none=step == 0)
        (weight * weight).sum().backward()
        optimizer.step()
print([weight._version > 0 for weight in made], [weight.is_leaf for weight in made])
kept = one * 2
with torch.no_grad():
    one -= 1
kept.sum().backward()
print(one.grad is not None)

# [True, False, True] [True, True, True]
# True
