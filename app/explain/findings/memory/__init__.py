"""Finders about shared memory: views, NumPy arrays, kept gradients and graphs."""
