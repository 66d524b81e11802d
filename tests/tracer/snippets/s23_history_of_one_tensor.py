# A list contains the same tensor several times.
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

#: hist, ok = [f"hist[{i}]" for i in range(3)], [f"ok[{i}]" for i in range(3)]
#: run.finished
#: [run.end.values(name) for name in hist] == [[3.0]] * 3 and run.end.same_storage("w", *hist)
#: [run.end.values(name) for name in ok] == [[1.0], [2.0], [3.0]]
#: len({run.end.storage(name) for name in ok}) == 3
#: [run.after("w += 1", turn).values("w") for turn in range(3)] == [[1.0], [2.0], [3.0]]
