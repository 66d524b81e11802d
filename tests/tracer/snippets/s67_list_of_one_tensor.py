# A tensor that is updated in place is appended to a list several times.
import torch

h = torch.zeros(2)
hist = []
for _ in range(3):
    h += 1
    hist.append(h)
print(hist)

#: run.finished and run.end.same_tensor("h", "hist[0]", "hist[1]", "hist[2]")
#: [run.end.values(f"hist[{i}]") for i in range(3)] == [[3.0, 3.0]] * 3
#: run.end.state.names_of[run.end.id("h")] == ["h", "hist[0]", "hist[1]", "hist[2]"]
