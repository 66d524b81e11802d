"""Tensors and Storages: their bytes, version counters, and what writes them."""
