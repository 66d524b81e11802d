# A thread runs operators.
import torch
import threading


def elsewhere(function):
    t = threading.Thread(target=function)
    t.start()
    t.join()


x = torch.ones(2)
elsewhere(lambda: x.add_(1))
y = x * 2
