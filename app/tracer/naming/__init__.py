"""Names, which are paths from variables to tensors, and the values of other variables."""
