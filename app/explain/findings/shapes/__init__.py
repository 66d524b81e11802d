"""Finders about sizes, dtypes, indices and values that an operator, a layer or a loss refuses."""
