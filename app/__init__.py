"""Stepgrad: run a PyTorch snippet in a sandbox and watch autograd and shared memory, one step at a time."""

__version__ = "0.3.0"
