"""Tests that need a CUDA device, in parts that each run in a separate process: `python -m tests.gpu`.

Nothing here needs more than the packages that runs need: no pytest, so that a machine with a GPU and no network will do. A part is
a module with `cases(device)`. By the same code it runs with the device "cpu", which shows that the programs and the comparisons
work.
"""
