# The second backward fails, because two losses share a part of the graph that the first backward freed.
import torch

w = torch.ones(2, requires_grad=True)
h = w * w
l1, l2 = h.sum(), h.prod()
l1.backward()
l2.backward()

#: run.raised("RuntimeError", "l2.backward()", SECOND)
#: before, after = run.after("l1, l2 ="), run.after("l1.backward()")
#: before.node("h").id in {edge.node for name in ("l1", "l2") for edge in before.node(name).edges}
#: for slot in ("self", "other"):
#:     assert [moment.saved("MulBackward0", slot).state for moment in (before, after)] == ["current", "released"]
#: run.ran("l1.backward()") == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
#: run.ran("l2.backward()") == ["ProdBackward0", "MulBackward0"]
