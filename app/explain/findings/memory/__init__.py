"""Silent effects of shared memory: views, NumPy arrays, kept gradients and graphs."""
