# A program that closes its standard output, and one name longer than any page.
import sys
import torch

x = torch.ones(2)
sys.stdout.close()
sys.stdout = None
y = x + 1
