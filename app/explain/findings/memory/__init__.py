"""What shares memory, keeps it or changes it without being told: views, NumPy arrays, kept gradients and graphs."""
