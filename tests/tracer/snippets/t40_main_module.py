# A real `__main__`.
import torch

def main():
    x = torch.ones(2)
    global y
    y = x * 2
if __name__ == '__main__':
    main()
import sys, inspect
print(sys.argv, __file__, __name__)
print(inspect.getsource(main))
