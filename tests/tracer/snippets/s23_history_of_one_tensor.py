# A history list holds one tensor many times.
import torch

w = torch.zeros(1, requires_grad=True)
hist, ok = [], []
for i in range(3):
    with torch.no_grad():
        w += 1
    hist.append(w.detach())
    ok.append(w.detach().clone())
a, b = hist[0], ok[0]
print(hist, ok)
