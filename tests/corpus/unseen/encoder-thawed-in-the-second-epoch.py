# thread: https://github.com/MichiganCOG/ViP/issues/7
# kind: ordinary
# ends: finished
# fact: len(opt.param_groups) == 2 and all(p.grad is not None for p in encoder[2].parameters()) and encoder[0].weight.grad is None
# finding: none

import torch
from torch import nn

torch.manual_seed(212)
encoder = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 6), nn.ReLU())
head = nn.Linear(6, 2)
for p in encoder.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, head.parameters()), lr=0.1, momentum=0.9)
clips, labels, pseudo = torch.randn(8, 2, 5), torch.randint(0, 2, (8, 2)), 4

for epoch in range(2):
    if epoch == 1:
        for p in encoder[2].parameters():
            p.requires_grad = True
        opt.add_param_group({"params": encoder[2].parameters(), "lr": 0.01})
    for index, (clip, label) in enumerate(zip(clips, labels), start=1):
        scores = head(encoder(clip))
        loss = nn.functional.cross_entropy(scores, label)
        loss.backward()
        if index % pseudo == 0:
            for module in (encoder, head):
                for p in module.parameters():
                    if p.grad is not None:
                        p.grad /= pseudo
            opt.step()
            opt.zero_grad()
            last = loss.item()
scores = head(encoder(clips[0]))
nn.functional.cross_entropy(scores, labels[0]).backward()
largest = max(p.grad.abs().max().item() for p in [*encoder.parameters(), *head.parameters()] if p.grad is not None)
