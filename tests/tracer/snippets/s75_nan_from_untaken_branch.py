# torch.where: the branch that is not selected causes a NaN gradient.
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), 0)
y.sum().backward()

#: run.finished and run.end.values("y") == [0.0, 2.0] and run.end.values("x.grad") == ["nan", 0.25]
#: born = first_nonfinite_gradient(run.trace)
#: born is not None and isinstance(born.value, Cells)
#: run.origin(born) == "SqrtBackward0" and born.value.values == ["nan", 0.25]
#: run.gradients("WhereBackward0") == [[0.0, 1.0]]
#: grad = run.trace.storages[run.end.storage("x.grad")]
#: run.line(born.step) == "y.sum().backward()" and nonfinite_since(grad) is not None
#: nonfinite_since(run.trace.storages[run.end.storage("y")]) is None
