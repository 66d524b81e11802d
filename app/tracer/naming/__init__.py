"""The names by which the program reaches tensors, and its other variables."""
