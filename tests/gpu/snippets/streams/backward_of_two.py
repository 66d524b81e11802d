import torch
one, two = torch.cuda.Stream(), torch.cuda.Stream()
w = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
here = torch.cuda.current_stream()
one.wait_stream(here)
two.wait_stream(here)
with torch.cuda.stream(one):
    a = (w * 3).sum()
with torch.cuda.stream(two):
    b = (w**2).sum()
here.wait_stream(one)
here.wait_stream(two)
loss = a + b
loss.backward()
print(w.grad.tolist())
one.wait_stream(here)
with torch.cuda.stream(one):
    loss = (w.exp() * w.grad).sum()
    loss.backward()
torch.cuda.synchronize()
print(w.grad_fn, w._version)

# [5.0, 7.0]
# None 0
