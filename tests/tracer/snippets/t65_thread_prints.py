import torch
import threading
def work(n):
    x = torch.ones(n)
    print("in thread", n)
    y = x + 1
    print(y)
def main():
    a = torch.ones(2)
    t = threading.Thread(target=work, args=(3,))
    t.start()
    t.join()
    b = a + 1
    print(b)
main()
c = torch.ones(1)
