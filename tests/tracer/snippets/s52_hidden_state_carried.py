# A hidden state keeps the graph of the previous iteration, which was freed.
import torch

W = torch.ones(1, requires_grad=True)
h = torch.zeros(1)
for t in range(2):
    h = torch.tanh(W * h + 1)
    loss = h.sum()
    loss.backward()

#: run.raised("RuntimeError", "loss.backward()", SECOND)
#: run.after("loss = h.sum()", 0).backward_nodes("loss").count("TanhBackward0") == 1
#: second = run.after("loss = h.sum()", 1)
#: second.backward_nodes("loss").count("TanhBackward0") == 2
#: [save.state for save in second.saves("TanhBackward0")] == ["released", "current"]
#: run.after("loss = h.sum()", 0).node("h").id in second.state.nodes
