"""Records Names (paths from variables to tensors) and the values of variables that are not tensors."""
