# Simultaneous backwards on several threads, through shared Nodes with hooks.
import threading
import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.ones(2, requires_grad=True)
b = torch.full((2,), 3.0, requires_grad=True)
shared = a * b
seen = []
handle = register_multi_grad_hook((a, b), lambda gradients: seen.append(len(gradients)))


def both():
    barrier = threading.Barrier(2)

    def run():
        barrier.wait()
        for _ in range(3):
            shared.exp().sum().backward(retain_graph=True)

    thread = threading.Thread(target=run)
    thread.start()
    barrier.wait()
    for _ in range(3):
        shared.sin().sum().backward(retain_graph=True)
    thread.join()
    a.grad = b.grad = None


both()
print(sorted(seen))
