"""Tests that need a CUDA device: `python -m tests.gpu`.

The GPU tests need no pytest and no network, only the packages that snippets need. Each module with a function `cases(device)`
runs in a separate process. With the device "cpu", the tests check their own programs and comparisons.
"""
