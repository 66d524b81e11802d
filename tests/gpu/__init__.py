"""Tests that need a CUDA device, in parts that each run in a separate process: `python -m tests.gpu`.

They need only the packages that runs need, without pytest, so that a machine with a GPU and no network suffices. A part is a
module with `cases(device)`. With the device "cpu", the same code checks that the programs and the comparisons work.
"""
