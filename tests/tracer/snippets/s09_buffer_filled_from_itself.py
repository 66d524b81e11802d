# Each element of a buffer is computed from its previous element.
import torch

w = torch.tensor(2.0, requires_grad=True)
out = torch.zeros(4)
out[0] = w
for i in range(1, 4):
    out[i] = out[i - 1] * w
out[-1].backward()

#: run.raised("RuntimeError", "out[-1].backward()", inplace("[]", "AsStrided", 4, 3))
#: turns = [run.after("out[i] = out[i - 1] * w", turn) for turn in range(3)]
#: [after.version("out") for after in turns] == [2, 3, 4]
#: for version, after in enumerate(turns, 1):
#:     saved = after.saved("MulBackward0", "self")  # no element of out[i - 1] was written, but all views share a counter
#:     assert (saved.storage, saved.version) == (after.storage("out"), version)
#:     assert (saved.outdated, saved.overwritten) == ("out[i] = out[i - 1] * w", None)
#: len({after.storage("out") for after in turns}) == 1
