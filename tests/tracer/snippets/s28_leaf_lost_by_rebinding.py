# After `w = w - ...`, the variable no longer refers to the leaf.
import torch

w = torch.tensor([1.0], requires_grad=True)
for step in range(2):
    loss = (w * 2).sum()
    loss.backward()
    print(step, w.is_leaf, w.grad)
    w = w - 0.1 * w.grad

#: run.raised("TypeError", "w = w - 0.1", "unsupported operand type(s) for *: 'float' and 'NoneType'")
#: run.end.state.text() == "0 True tensor([2.])\n1 False None\n" and run.warned(NON_LEAF_GRAD)
#: leaf, other = run.after("loss.backward()", 0), run.after("w = w - 0.1", 0)
#: leaf.is_leaf("w") and leaf.values("w.grad") == [2.0]
#: not other.is_leaf("w") and other.grad_fn("w") == "SubBackward0" and other.id("w") != leaf.id("w")
#: not run.after("loss.backward()", 1).has_grad("w")
