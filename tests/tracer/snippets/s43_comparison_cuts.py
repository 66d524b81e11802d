# A comparison returns a tensor without a graph.
import torch

x = torch.tensor([0.2, 0.7], requires_grad=True)
c = x > 0.5
m = c.float().mean()
m.backward()

#: run.raised("RuntimeError", "m.backward()", NOGRAD)
#: cut = run.after("c = x > 0.5")
#: (cut.requires_grad("x"), cut.requires_grad("c"), cut.grad_fn("c")) == (True, False, None)
#: not run.after("m = ").requires_grad("m") and not run.trace.nodes
