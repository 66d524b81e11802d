# argmax cuts the graph.
import torch

x = torch.tensor([0.2, 0.7], requires_grad=True)
a = x.argmax()
f = a.float()
f.backward()

#: run.raised("RuntimeError", "f.backward()", NOGRAD)
#: cut = run.after("a = x.argmax()")
#: (cut.requires_grad("x"), cut.requires_grad("a"), cut.grad_fn("a")) == (True, False, None)
#: not run.after("f = ").requires_grad("f")
