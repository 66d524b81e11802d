"""Tests that need a CUDA device, in parts that each run in a separate process: `python -m tests.gpu`.

The tests need only the packages that runs need, and no pytest, so they run on a machine with a GPU but no network. A part is a
module with `cases(device)`. With the device "cpu", the same code checks that the programs and the comparisons work.
"""
