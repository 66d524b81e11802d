# An inference tensor cannot be saved for backward.
import torch

w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    t = torch.ones(2) * 3
y = (w * t).sum()

#: run.raised("RuntimeError", "y = (w * t).sum()", "Inference tensors cannot be saved for backward.")
#: run.end.version("t") is None and [step.inference for step in run.steps("t = ")] == [True]
#: (operator,) = [step for step in run.trace.steps if step.kind == "exception"]
#: run.line(operator.id) == "y = (w * t).sum()" and "y" not in run.end.names
