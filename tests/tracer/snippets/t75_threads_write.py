# The effects of other threads are found afterwards: writes, gradients, saved tensors that a backward freed.
import threading
import torch

w = torch.ones(3, requires_grad=True)
x = torch.arange(3.0)
h = (w * x).exp()
loss = h.sum()
big = torch.zeros(1000)


def elsewhere(function):
    t = threading.Thread(target=function)
    t.start()
    t.join()


def work():
    x.mul_(2)
    big.data[5] = 7.0


def learn():
    loss.backward()
    with torch.no_grad():
        w.sub_(w.grad)


elsewhere(work)
y = x + 1
z = (w * 2).exp()
loss = z.sum()
elsewhere(learn)
print(w.grad, big.sum())
try:
    loss.backward()
except RuntimeError as error:
    print(str(error)[:60])
del y
