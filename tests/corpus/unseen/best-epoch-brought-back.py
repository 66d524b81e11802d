# thread: https://gokawiil.com/article/310460
# kind: ordinary
# ends: finished
# fact: best < float('inf') and not model.training and torch.equal(model[0].weight, best_state['0.weight'])
# finding: none

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(211)
whole = TensorDataset(torch.randn(20, 4), torch.randint(0, 3, (20,)))
train_set, val_set = random_split(whole, [14, 6])
train_loader, val_loader = DataLoader(train_set, batch_size=7, shuffle=True), DataLoader(val_set, batch_size=6)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=3)
best, best_state, patience = float("inf"), None, 2
for epoch in range(3):
    model.train()
    running = 0.0
    for x, y in train_loader:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        running += loss.item() * x.size(0)
    sched.step()
    model.eval()
    with torch.no_grad():
        val = sum(criterion(model(x), y).item() * len(x) for x, y in val_loader) / len(val_set)
    if val < best:
        best, patience, best_state = val, 2, copy.deepcopy(model.state_dict())
    else:
        patience -= 1
        if patience == 0:
            break
model.load_state_dict(best_state)
model.eval()
