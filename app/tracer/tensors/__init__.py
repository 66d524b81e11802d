"""Tensors and Storages: their bytes, their version counters, and writes to them."""
