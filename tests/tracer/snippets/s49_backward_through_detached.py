# backward through a detached tensor raises.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x.pow(2)
z = y.detach()
w = z * 3
w.backward()

#: run.raised("RuntimeError", "w.backward()", NOGRAD)
#: cut = run.after("z = y.detach()")
#: (cut.grad_fn("y"), cut.grad_fn("z"), cut.requires_grad("z")) == ("PowBackward0", None, False)
#: cut.same_storage("y", "z") and not run.end.requires_grad("w") and not run.end.has_grad("x")
